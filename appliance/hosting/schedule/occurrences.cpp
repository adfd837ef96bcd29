#include "appliance/hosting/schedule/occurrences.h"

#include <algorithm>

namespace schedule {

namespace {

using namespace std::chrono;

LocalTime local(TimePoint moment, seconds offset) { return LocalTime(moment.time_since_epoch() + offset); }
TimePoint utc(LocalTime time, seconds offset) { return TimePoint(time.time_since_epoch() - offset); }

}  // namespace

TimePoint moment_of(LocalTime time, const TimeZone& zone) {
  constexpr hours widest_offset(26);
  for (auto from = utc(time, widest_offset);;) {
    const auto period = zone.at(from);
    if (period.end == TimePoint::max() || time < local(period.end, period.offset))
      return std::max(utc(time, period.offset), period.begin);
    from = period.end;
  }
}

// Within a period local time runs as UTC does; what is special about a clock change happens at a period's begin.
std::optional<TimePoint> next_occurrence(const Cron& cron, const TimeZone& zone, TimePoint after) {
  const TimePoint horizon = after + years(400);
  for (TimePoint from = after + seconds(1); from < horizon;) {
    const auto period = zone.at(from);
    const auto end = std::min(period.end, horizon);
    auto earliest = local(from, period.offset);
    if (period.begin != TimePoint::min()) {
      const auto shown = local(period.begin, period.offset);                                 // after the change
      const auto expected = local(period.begin, zone.at(period.begin - seconds(1)).offset);  // without it
      if (from == period.begin && expected < shown && cron.first(expected, shown)) return from;
      if (!cron.goes_by_hours_passed()) earliest = std::max(earliest, expected);
    }
    if (const auto time = cron.first(earliest, local(end, period.offset))) return utc(*time, period.offset);
    from = end;
  }
  return std::nullopt;
}

std::vector<TimePoint> next_occurrences(const Cron& cron, const TimeZone& zone, TimePoint after,
                                        std::size_t max_occurrences) {
  std::vector<TimePoint> found;
  while (found.size() < max_occurrences) {
    const auto next = next_occurrence(cron, zone, found.empty() ? after : found.back());
    if (!next) break;
    found.push_back(*next);
  }
  return found;
}

}  // namespace schedule
