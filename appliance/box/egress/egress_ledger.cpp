#include "appliance/box/egress/egress_ledger.h"

#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/reverse_paging.h"
#include "store/erase_range.h"
#include "web/log.h"
#include "web/run_on.h"

namespace egress {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_lines_of_hour = 1'000, page = 500;
constexpr auto kept = 30 * 24h;

HourLine line_of(const web::OutboundEntry& entry, store::Time now) {
  const auto& [line, count] = entry;
  return {.hour = std::chrono::floor<std::chrono::hours>(now),
          .part = line.origin.part,
          .user_id = line.origin.user,
          .agent_id = line.origin.agent,
          .host = line.host,
          .port = line.port,
          .setting = line.setting,
          .calls = count.calls,
          .refused = count.refused,
          .bytes_out = count.bytes_out,
          .bytes_in = count.bytes_in};
}

std::string id_of(const HourLine& line) {
  const boost::json::array told{line.part, line.user_id, line.agent_id, line.host, line.port, line.setting};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(line.hour).time_since_epoch().count();
  return std::to_string(seconds) + "/" + crypto::sha256_hex(boost::json::serialize(told)).substr(0, 32);
}

// What is left of a line that would exceed the bound of its hour.
HourLine rest_of(HourLine line) {
  line.user_id = 0;
  line.agent_id.clear();
  line.host = "*";
  line.port = 0;
  return line;
}

bool matches(const Filter& filter, const HourLine& line) {
  return (!filter.part || line.part == *filter.part) &&
         (!filter.host || line.host.find(*filter.host) != line.host.npos) &&
         (!filter.agent || line.agent_id == *filter.agent) && (!filter.user || line.user_id == *filter.user) &&
         (!filter.is_refused || line.refused > 0);
}

void log_refusal(const HourLine& line) {
  web::log::warning(
      "outbound_refused",
      {{"to", line.host + ":" + std::to_string(line.port)}, {"part", line.part}, {"count", line.refused}});
}

}  // namespace

EgressLedger::EgressLedger(store::System system, web::Outbound& counted, boost::asio::io_context& home,
                           OwnerOf owner_of)
    : system_(system), outbound_(counted), home_(home), owner_of_(std::move(owner_of)) {}

web::Task<> EgressLedger::keep(store::Time now) { return web::run_on(home_, keep_here(now)); }

web::Task<> EgressLedger::keep_here(store::Time now) {
  for (auto& entry : outbound_.take()) {
    auto line = line_of(entry, now);
    if (line.user_id == 0 && !line.agent_id.empty()) line.user_id = owner_of_(line.agent_id);
    if (line.refused > 0) log_refusal(line);
    co_await add(std::move(line));
  }
}

// Two rounds may add to one line at once: a change that comes second is repeated.
web::Task<> EgressLedger::add(HourLine line) {
  line.id = id_of(line);
  const auto more = line;
  const auto add_up = [&more](HourLine& known) {
    known.calls += more.calls;
    known.refused += more.refused;
    known.bytes_out += more.bytes_out;
    known.bytes_in += more.bytes_in;
  };
  for (;;) {
    const auto known = co_await system_.modify(lines, line.id, add_up);
    if (known) co_return;
    if (line.host != "*" && lines_of(line.hour) >= max_lines_of_hour) {
      line = rest_of(std::move(line));
      line.id = id_of(line);
      continue;
    }
    auto change = system_.change();
    change.insert(lines, line);
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;
    ++newest_.lines;
    co_return;
  }
}

std::size_t EgressLedger::lines_of(store::Time hour) {
  if (newest_.hour != hour)
    newest_ = {.hour = hour, .lines = system_.find(lines, "hour", hour, max_lines_of_hour).size()};
  return newest_.lines;
}

web::Task<> EgressLedger::sweep(store::Time now) {
  return store::erase_range(system_, lines, "hour", store::Time{}, now - kept);
}

std::vector<HourLine> EgressLedger::list(const Filter& filter, const std::string& before, std::size_t limit) const {
  std::optional<HourLine> from;
  if (!before.empty()) {
    auto row = system_.get(lines, before);
    if (!row) return {};
    from = std::move(row->value);
  }
  std::vector<HourLine> found;
  for (;;) {
    const auto next = agentbox::newest(system_, lines, "hour", &HourLine::hour, from, page);
    for (const auto& line : next) {
      if (matches(filter, line)) found.push_back(line);
      if (found.size() == limit) return found;
    }
    if (next.size() < page) return found;
    from = next.back();
  }
}

}  // namespace egress
