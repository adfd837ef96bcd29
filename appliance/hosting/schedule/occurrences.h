// The times at which a cron expression is due in a time zone, also across clock changes:
// - all times in a gap are due once, at the end of the gap;
// - a time that occurs twice is due once, the first time, unless the hours are * or a step.
#pragma once

#include <optional>
#include <vector>

#include "appliance/hosting/schedule/cron.h"
#include "appliance/hosting/schedule/time_zone.h"

namespace schedule {

// The first moment at which the zone's clocks show `time` or later: in a gap its end, of a time that occurs twice the
// first.
TimePoint moment_of(LocalTime time, const TimeZone&);

// The first moment later than `after`; nullopt if there is none within 400 years.
std::optional<TimePoint> next_occurrence(const Cron&, const TimeZone&, TimePoint after);

std::vector<TimePoint> next_occurrences(const Cron&, const TimeZone&, TimePoint after, std::size_t max_occurrences);

}  // namespace schedule
