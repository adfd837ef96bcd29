#include "appliance/usage/period.h"

#include <chrono>
#include <cstring>

#include "web/reply.h"

namespace usage {

namespace {

std::chrono::year_month_day date_of(store::Time at) {
  return std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(at));
}

std::string date_text(store::Time at, bool with_day) {
  auto text = web::iso8601(at);
  text.resize(std::strlen(with_day ? "2026-11-21" : "2026-11"));
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
