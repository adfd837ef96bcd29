// When a user gets notices.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/hosting/notices/records.h"
#include "appliance/hosting/schedule/time_zone.h"
#include "store/store.h"

namespace notices {

// "22:00" as minutes after midnight; nothing for other texts.
std::optional<std::int64_t> parse_time_of_day(std::string_view text);
std::string time_of_day(std::int64_t minutes);

bool is_quiet(const Preferences&, const schedule::TimeZone&, store::Time at);
// When a notice of this moment is sent: `now`, or at the hour of the digest, but not in quiet hours.
store::Time due_time(const Preferences&, const schedule::TimeZone&, bool is_urgent, store::Time now);
// "2026-11-27 08:05" as the zone's clocks show it.
std::string local_time(const schedule::TimeZone&, store::Time at);

}  // namespace notices
