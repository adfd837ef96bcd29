#include "appliance/usage/period.h"

#include <chrono>
#include <cstdio>

namespace usage {

namespace {

std::chrono::year_month_day date_of(store::Time at) {
  return std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(at));
}

std::string date_text(store::Time at, bool with_day) {
  const auto date = date_of(at);
  char text[32];
  const auto year = static_cast<int>(date.year());
  const auto month = static_cast<unsigned>(date.month()), day = static_cast<unsigned>(date.day());
  if (with_day) {
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", year, month, day);
  } else {
    std::snprintf(text, sizeof text, "%04d-%02u", year, month);
  }
  return text;
}

}  // namespace

Period Period::day(store::Time at) { return Period(date_text(at, true)); }
Period Period::month(store::Time at) { return Period(date_text(at, false)); }

store::Time next_day(store::Time at) { return std::chrono::floor<std::chrono::days>(at) + std::chrono::days(1); }

store::Time next_month(store::Time at) { return months_before(at, -1); }

store::Time months_before(store::Time at, int months) {
  const auto date = date_of(at);
  const auto first = date.year() / date.month() / 1 - std::chrono::months(months);
  return std::chrono::sys_days(first);
}

}  // namespace usage
