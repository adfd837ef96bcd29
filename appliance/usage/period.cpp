#include "appliance/usage/period.h"

#include <algorithm>
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

std::optional<Period> Period::month_named(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto year = name.substr(0, 4), month = name.size() == 7 ? name.substr(5) : std::string_view();
  const bool sound = name.size() == 7 && name[4] == '-' && std::ranges::all_of(year, is_digit) &&
                     std::ranges::all_of(month, is_digit) && month >= "01" && month <= "12";
  return sound ? std::optional(Period(std::string(name))) : std::nullopt;
}

store::Time next_day(store::Time at) { return std::chrono::floor<std::chrono::days>(at) + std::chrono::days(1); }

store::Time next_month(store::Time at) { return months_before(at, -1); }

store::Time months_before(store::Time at, int months) {
  const auto date = date_of(at);
  const auto first = date.year() / date.month() / 1 - std::chrono::months(months);
  return std::chrono::sys_days(first);
}

}  // namespace usage
