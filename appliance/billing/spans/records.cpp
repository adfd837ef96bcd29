#include "appliance/billing/spans/records.h"

#include <algorithm>
#include <numeric>

namespace spans {

namespace {

constexpr std::size_t time_digits = 13, hours_of_day = 24;
constexpr std::int64_t last_time = 9'999'999'999'999;  // of that many digits

std::string padded(std::int64_t number) {
  auto text = std::to_string(std::clamp<std::int64_t>(number, 0, last_time));
  return text.insert(0, time_digits - text.size(), '0');
}

std::int64_t hour_of(store::Time at) {
  return std::chrono::duration_cast<std::chrono::hours>(at.time_since_epoch()).count();
}

// The counts as they are at `hour`: those of hours without any are zero.
std::vector<std::int64_t> counts_at(const HourCounts& counted, std::int64_t hour) {
  std::vector<std::int64_t> counts(hours_of_day);
  for (std::size_t back = 0; back < counted.counts.size(); ++back) {
    const auto age = hour - counted.hour + static_cast<std::int64_t>(back);
    if (age < 0 || age >= static_cast<std::int64_t>(hours_of_day)) continue;
    counts[hours_of_day - 1 - static_cast<std::size_t>(age)] = counted.counts[counted.counts.size() - 1 - back];
  }
  return counts;
}

}  // namespace

std::string row_id(store::Time at, std::string_view id) {
  return padded(at.time_since_epoch().count()).append("-").append(id);
}

std::string newest_first(std::int64_t owner, std::string_view agent, std::string_view trace_row) {
  std::string value = store::ordered_bytes(owner);
  value.append(agent).append(1, '\0');
  for (const char c : trace_row.substr(0, time_digits)) value.push_back(static_cast<char>('0' + ('9' - c)));
  return value.append(trace_row.substr(std::min(time_digits, trace_row.size())));
}

std::string link_id(std::string_view from, std::string_view to) { return std::string(from).append(">").append(to); }

void add(HourCounts& counted, store::Time at, std::int64_t number) {
  const auto hour = std::max(counted.hour, hour_of(at));
  const auto age = hour - hour_of(at);
  if (age >= static_cast<std::int64_t>(hours_of_day)) return;
  counted.counts = counts_at(counted, hour);
  counted.hour = hour;
  counted.counts[hours_of_day - 1 - static_cast<std::size_t>(age)] += number;
}

std::int64_t last_day(const HourCounts& counted, store::Time now) {
  const auto counts = counts_at(counted, hour_of(now));
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace spans
