#include "appliance/hosting/schedule/cron.h"

#include <bit>

namespace schedule {

namespace {

using namespace std::chrono;

bool has(std::uint64_t bits, unsigned number) { return (bits >> number & 1) != 0; }

// The lowest number of `bits` that is at least `from`.
std::optional<unsigned> next_of(std::uint64_t bits, unsigned from) {
  const auto left = from < 64 ? bits >> from << from : 0;
  if (left == 0) return std::nullopt;
  return unsigned(std::countr_zero(left));
}

unsigned lowest(std::uint64_t bits) { return unsigned(std::countr_zero(bits)); }

unsigned last_day(year_month_day date) { return unsigned((date.year() / date.month() / last).day()); }

seconds at(unsigned hour, unsigned minute, unsigned second) { return hours(hour) + minutes(minute) + seconds(second); }

}  // namespace

bool Cron::has_day_of_month(year_month_day date) const {
  const auto day = unsigned(date.day());
  return has(days_, day) || has(days_before_last_, last_day(date) - day);
}

bool Cron::has_weekday(year_month_day date) const {
  const auto day = unsigned(date.day());
  const auto name = weekday(local_days(date)).c_encoding();
  return has(weekdays_, name) || has(numbered_weekdays_.at(name), (day - 1) / 7 + 1) ||
         (has(last_weekdays_, name) && day + 7 > last_day(date));
}

bool Cron::has_day(year_month_day date) const {
  return either_day_ ? has_day_of_month(date) || has_weekday(date) : has_day_of_month(date) && has_weekday(date);
}

// The first time of a day that is at least `from`.
std::optional<seconds> Cron::time_of_day(seconds from) const {
  const hh_mm_ss clock(from);
  const auto hour = unsigned(clock.hours().count()), minute = unsigned(clock.minutes().count());
  if (has(hours_, hour)) {
    if (has(minutes_, minute))
      if (const auto second = next_of(seconds_, unsigned(clock.seconds().count()))) return at(hour, minute, *second);
    if (const auto later = next_of(minutes_, minute + 1)) return at(hour, *later, lowest(seconds_));
  }
  if (const auto later = next_of(hours_, hour + 1)) return at(*later, lowest(minutes_), lowest(seconds_));
  return std::nullopt;
}

// The first day of the next month it names.
local_days Cron::next_month(year_month month) const {
  do month += months(1);
  while (!has(months_, unsigned(month.month())));
  return local_days(month / 1);
}

std::optional<LocalTime> Cron::first(LocalTime from, LocalTime end) const {
  auto day = floor<days>(from);
  auto earliest = seconds(from - day);
  while (day < end) {
    const year_month_day date(day);
    if (!has(months_, unsigned(date.month()))) {
      day = next_month(date.year() / date.month());
    } else {
      if (has_day(date))
        if (const auto time = time_of_day(earliest))
          return day + *time < end ? std::optional(day + *time) : std::nullopt;
      day += days(1);
    }
    earliest = seconds(0);
  }
  return std::nullopt;
}

}  // namespace schedule
