#include "appliance/network/otlp/exporter.h"

#include <algorithm>
#include <boost/json.hpp>
#include <deque>
#include <iterator>
#include <mutex>

#include "appliance/billing/spans/otlp_json.h"
#include "web/log.h"
#include "web/metrics.h"

namespace otlp {

namespace {

using namespace std::chrono_literals;

constexpr auto pause = 1s;
constexpr auto send_time = 10s;
constexpr std::size_t max_waiting = 8'192, batch_size = 512;

void count_exported(const char* outcome, std::size_t number) {
  web::metrics()
      .counter("agentbox_spans_exported_total", "Spans for OTEL_EXPORTER_OTLP_ENDPOINT, by what became of them.",
               {{"outcome", outcome}})
      .add(number);
}

// The first words of a message are its sender's business, not the collector's.
spans::Span without_content(spans::Span span) {
  if (span.type == spans::Type::plan) span.name = "invoke_agent";
  return span;
}

}  // namespace

struct Exporter::Queue {
  Queue(std::string given_url, web::FetchHeaders given_headers)
      : url(std::move(given_url)), headers(std::move(given_headers)) {}

  void add(spans::Span span) {
    const std::scoped_lock lock(mutex);
    waiting.push_back(std::move(span));
    if (waiting.size() <= max_waiting) return;
    waiting.pop_front();
    count_exported("dropped", 1);
  }
  std::vector<spans::Span> take() {
    const std::scoped_lock lock(mutex);
    const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(waiting.size(), batch_size));
    std::vector<spans::Span> batch(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
    waiting.erase(waiting.begin(), end);
    return batch;
  }
  void put_back(std::vector<spans::Span> batch) {
    const std::scoped_lock lock(mutex);
    waiting.insert(waiting.begin(), std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
  }

  const std::string url;
  const web::FetchHeaders headers;
  bool is_failing = false;  // logged once

  std::mutex mutex;  // protects waiting
  std::deque<spans::Span> waiting;
};

Exporter::Exporter(std::string endpoint, web::FetchHeaders headers, boost::asio::io_context& home)
    : queue_(std::make_shared<Queue>(endpoint.substr(0, endpoint.find_last_not_of('/') + 1) + "/v1/traces",
                                     std::move(headers))),
      rounds_(home, "span export", pause, [queue = queue_]() { return send(queue); }) {}

Exporter::~Exporter() = default;

std::function<void(const spans::Span&)> Exporter::sink() const {
  return [queue = queue_](const spans::Span& span) {
    if (!span.is_foreign) queue->add(without_content(span));
  };
}

web::Task<> Exporter::stop() {
  co_await rounds_.stop();
  co_await send(queue_);
}

// Until nothing is left, or the receiver does not take it.
web::Task<> Exporter::send(std::shared_ptr<Queue> queue) {
  for (auto batch = queue->take(); !batch.empty(); batch = queue->take()) {
    web::FetchRequest request{.url = queue->url, .method = "POST", .headers = queue->headers};
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = boost::json::serialize(spans::to_otlp(batch, "agentbox"));
    request.timeout = send_time;
    request.origin.part = "otlp";
    const auto answer = co_await web::fetch(std::move(request));
    const bool is_sent = answer && answer->status / 100 == 2;
    if (is_sent) {
      count_exported("sent", batch.size());
      queue->is_failing = false;
      continue;
    }
    if (!std::exchange(queue->is_failing, true)) {
      const auto reason = answer ? "status " + std::to_string(answer->status) : answer.error().message;
      web::log::warning("spans_not_exported", {{"reason", reason}});
    }
    const bool is_refused = answer && answer->status / 100 == 4 && answer->status != 429 && answer->status != 408;
    if (is_refused) {
      count_exported("refused", batch.size());
      continue;
    }
    queue->put_back(std::move(batch));
    co_return;
  }
}

}  // namespace otlp
