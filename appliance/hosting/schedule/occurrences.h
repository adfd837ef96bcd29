// When a cron expression comes due in a time zone, also where clocks are set forward and back:
// - a time that does not exist comes due once, at the end of the gap, together with all others of that gap;
// - a time that the clock shows twice comes due once, the first time, unless the hours are * or a step.
#pragma once

#include <optional>
#include <vector>

#include "appliance/hosting/schedule/cron.h"
#include "appliance/hosting/schedule/time_zone.h"

namespace schedule {

// The first moment later than `after`; nothing when there is none in 400 years.
std::optional<SessionEpoch> next_occurrence(const Cron&, const TimeZone&, SessionEpoch after);

std::vector<SessionEpoch> next_occurrences(const Cron&, const TimeZone&, SessionEpoch after, std::size_t count);

}  // namespace schedule
