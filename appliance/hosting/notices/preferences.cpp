#include "appliance/hosting/notices/preferences.h"

#include <array>
#include <chrono>
#include <cstdio>

#include "appliance/hosting/schedule/occurrences.h"
#include "web/ascii.h"

namespace notices {

namespace {

using namespace std::chrono;

schedule::LocalTime local_at(const schedule::TimeZone& zone, store::Time at) {
  const auto moment = floor<seconds>(at);
  return schedule::LocalTime(moment.time_since_epoch() + zone.at(moment).offset);
}

std::int64_t minutes_at(const schedule::TimeZone& zone, store::Time at) {
  const auto local = local_at(zone, at);
  return floor<minutes>(local - floor<days>(local)).count();
}

// The next time the zone's clocks show this time of day.
store::Time next_at(const schedule::TimeZone& zone, std::int64_t time, store::Time after) {
  const auto today = floor<days>(local_at(zone, after));
  // Also the second of two times that clocks set back show.
  const auto period = zone.at(floor<seconds>(after));
  const schedule::TimePoint soon((today + minutes(time)).time_since_epoch() - period.offset);
  if (soon > after && soon < period.end) return soon;
  for (int day = 0;; ++day) {
    const store::Time moment = schedule::moment_of(today + days(day) + minutes(time), zone);
    if (moment > after) return moment;
  }
}

}  // namespace

std::optional<std::int64_t> parse_time_of_day(std::string_view text) {
  constexpr std::int64_t hours_in_day = 24, minutes_in_hour = 60;
  if (text.size() != 5 || text[2] != ':' || !web::all_digits(text.substr(0, 2)) || !web::all_digits(text.substr(3)))
    return std::nullopt;
  const auto number = [](std::string_view two) { return std::int64_t(10 * (two[0] - '0') + (two[1] - '0')); };
  const auto hour = number(text.substr(0, 2)), minute = number(text.substr(3));
  if (hour >= hours_in_day || minute >= minutes_in_hour) return std::nullopt;
  return minutes_in_hour * hour + minute;
}

std::string time_of_day(std::int64_t minutes) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%02d:%02d", int(minutes / 60), int(minutes % 60));
  return text.data();
}

bool is_quiet(const Preferences& wanted, const schedule::TimeZone& zone, store::Time at) {
  if (!wanted.quiet_from || !wanted.quiet_until) return false;
  const auto time = minutes_at(zone, at), from = *wanted.quiet_from, until = *wanted.quiet_until;
  return from < until ? from <= time && time < until : time >= from || time < until;
}

store::Time due_time(const Preferences& wanted, const schedule::TimeZone& zone, bool is_urgent, store::Time now) {
  auto due = now;
  if (!is_urgent && wanted.digest_at) due = next_at(zone, *wanted.digest_at, now);
  const bool may_disturb = is_urgent && wanted.urgent_when_quiet;
  if (!may_disturb && is_quiet(wanted, zone, due)) due = next_at(zone, *wanted.quiet_until, due);
  return due;
}

std::string local_time(const schedule::TimeZone& zone, store::Time at) {
  const auto local = local_at(zone, at);
  const year_month_day date(floor<days>(local));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u ", int(date.year()), unsigned(date.month()),
                unsigned(date.day()));
  return text.data() + time_of_day(minutes_at(zone, at));
}

}  // namespace notices
