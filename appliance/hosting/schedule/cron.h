// Cron expressions: the grammar, and the wall-clock times an expression matches. occurrences.h handles clock changes.
//
//   minute hour day-of-month month day-of-week        "30 9 * * MON-FRI"
//   second minute hour day-of-month month day-of-week "*/10 * * * * *"
// (@every is handled in timetable.h.)
//   @yearly @annually @monthly @weekly @daily @midnight @hourly
//
// A field is a list of: *, a number or name, a range (9-17, MON-FRI), each with a step (*/5, 9-17/2; 5/10 is 5-59/10).
// Days of the week are 0-7 (0 and 7 are Sunday) or SUN-SAT, months 1-12 or JAN-DEC, in any case. ? is * in both fields
// of days. L in days of the month is the last one, L-2 the second before it; 5L in days of the week is the month's last
// Friday, 5#2 its second one. When both fields of days are restricted, a day that matches either one counts; a field
// that starts with * restricts nothing there (Vixie's rule), so "*/2 * MON" is a Monday with an odd number.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "web/result.h"

namespace schedule {

using LocalTime = std::chrono::local_seconds;

class Cron {
 public:
  // Kind::invalid, with a sentence that names the field, for an invalid expression and one that matches no date.
  static web::Result<Cron> parse(std::string_view text);

  // The first matching time from `from` on and before `end`, if any.
  std::optional<LocalTime> first(LocalTime from, LocalTime end) const;

  // True if the hours are * or a step: then hours that occur twice are counted twice.
  bool goes_by_hours_passed() const { return goes_by_hours_passed_; }

 private:
  friend class CronParser;
  Cron() = default;
  bool has_day(std::chrono::year_month_day) const;
  bool has_day_of_month(std::chrono::year_month_day) const;
  bool has_weekday(std::chrono::year_month_day) const;
  std::optional<std::chrono::seconds> time_of_day(std::chrono::seconds from) const;
  std::chrono::local_days next_month(std::chrono::year_month) const;

  // Bit n stands for the number n.
  std::uint64_t seconds_ = 0, minutes_ = 0, hours_ = 0, months_ = 0;
  std::uint64_t days_ = 0, days_before_last_ = 0;     // of the month
  std::uint64_t weekdays_ = 0, last_weekdays_ = 0;    // 0 is Sunday
  std::array<std::uint64_t, 7> numbered_weekdays_{};  // for each weekday: its ordinals in the month
  bool either_day_ = false;                           // both fields of days are restricted
  bool goes_by_hours_passed_ = false;
};

}  // namespace schedule
