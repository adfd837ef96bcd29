#include "appliance/identity/audit/stream.h"

#include <algorithm>
#include <boost/url/parse.hpp>

#include "appliance/identity/audit/chain.h"
#include "appliance/identity/audit/syslog.h"
#include "web/ascii.h"
#include "web/client/authorities.h"
#include "web/log.h"
#include "web/metrics.h"
#include "web/task.h"
#include "web/uri.h"

namespace audit {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t batch_size = 200;
constexpr std::chrono::seconds first_pause{1}, longest_pause{300};

web::Counter& attempts(const char* result) {
  return web::metrics().counter("agentbox_audit_stream_attempts_total",
                                "Attempts to send entries of the audit log to the collector.", {{"result", result}});
}

// fetch() finds the authority by the destination.
void trust_authority_of(const Collector& collector) {
  const auto url = web::parse_uri(collector.url);
  if (collector.authority.empty() || !url || url->scheme() != "https") return;
  const std::string port = url->has_port() ? std::string(url->port()) : "443";
  web::trust_only(web::lower_case(std::string(url->encoded_host())) + ":" + port, collector.authority);
}

}  // namespace

Stream::Stream(store::System system, const Audit& audit, Collector collector, boost::asio::io_context& home)
    : Stream(std::move(system), audit, std::move(collector), home, send) {}

Stream::Stream(store::System system, const Audit& audit, Collector collector, boost::asio::io_context& home, Send send)
    : system_(std::move(system)),
      audit_(audit),
      collector_(std::move(collector)),
      send_(std::move(send)),
      worker_(home, "audit stream", 500ms, [this] { return work(); }) {
  trust_authority_of(collector_);
}

Stream::~Stream() {
  sender_.stop();
  sender_.join();
}

void Stream::start() {
  if (!is_on()) return;
  web::metrics().gauge("agentbox_audit_stream_pending", "Entries of the audit log that wait for the collector.",
                       [this] { return static_cast<double>(status().pending); });
  web::metrics().gauge("agentbox_audit_stream_failing", "1 while the collector of the audit log takes nothing.",
                       [this] { return status().problem.empty() ? 0.0 : 1.0; });
  worker_.start();
}

web::Task<> Stream::stop() {
  if (!is_on()) co_return;
  co_await worker_.stop();
  web::metrics().remove("agentbox_audit_stream_pending", {});
  web::metrics().remove("agentbox_audit_stream_failing", {});
}

std::int64_t Stream::position() const {
  const auto row = system_.get(stream_positions, StreamPosition().name);
  return row ? row->value.sent : 0;
}

StreamStatus Stream::status() const {
  const auto end = system_.get(chain_points, end_point);
  StreamStatus status{.sent = position(), .pending = 0, .sent_at = {}, .problem = {}};
  if (end) status.pending = std::max<std::int64_t>(0, end->value.entry_id - status.sent);
  const std::lock_guard lock(mutex_);
  status.sent_at = sent_at_;
  status.problem = problem_;
  return status;
}

web::Task<> Stream::note_sent(std::int64_t last) {
  const auto row = system_.get(stream_positions, StreamPosition().name);
  auto change = system_.change();
  if (row) {
    auto moved = *row;
    moved.value.sent = last;
    change.update(stream_positions, moved);
  } else {
    change.insert(stream_positions, StreamPosition{.sent = last});
  }
  co_await change.commit();
  attempts("sent").add();
  if (failures_ > 0) web::log::info("audit_stream_recovered", {{"entry", last}});
  failures_ = 0;
  const std::lock_guard lock(mutex_);
  sent_at_ = store::now();
  problem_.clear();
}

void Stream::note_failure(const std::string& problem) {
  attempts("failed").add();
  if (failures_ == 0) web::log::warning("audit_stream_failed", {{"reason", problem}});
  const auto pause = std::min<std::chrono::seconds>(longest_pause, first_pause * (1 << std::min(failures_, 9u)));
  ++failures_;
  next_attempt_ = std::chrono::steady_clock::now() + pause;
  const std::lock_guard lock(mutex_);
  problem_ = problem;
}

web::Task<> Stream::work() {
  if (failures_ > 0 && std::chrono::steady_clock::now() < next_attempt_) co_return;
  for (;;) {
    const auto end = system_.get(chain_points, end_point);
    const std::int64_t after = position();
    if (!end || end->value.entry_id <= after) co_return;
    struct Sent {
      std::int64_t last = 0;
      std::string problem;
    };
    auto attempt = [this, after]() -> Sent {
      const auto batch = audit_.list(after, batch_size);
      if (batch.empty()) return {};
      const auto sent = send_(collector_, batch);
      return {.last = batch.back().id, .problem = sent ? std::string() : sent.error().message};
    };
    const auto outcome = co_await web::offload(sender_, std::move(attempt));
    if (outcome.last == 0) co_return;
    if (!outcome.problem.empty()) co_return note_failure(outcome.problem);
    co_await note_sent(outcome.last);
  }
}

}  // namespace audit
