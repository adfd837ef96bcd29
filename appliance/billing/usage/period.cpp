#include "appliance/billing/usage/period.h"

#include <algorithm>
#include <chrono>

#include "web/routes/reply.h"

namespace usage {

namespace {

std::chrono::year_month_day date_of(store::Time at) {
  return std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(at));
}

// "2026-11-21" or "2026-11": small enough for a string to hold it without allocating. Mostly that of today, which every
// model call asks for several times.
std::string date_text(store::Time at, bool with_day) {
  struct Known {
    std::chrono::sys_days day{};
    std::string text = "1970-01-01";
  };
  thread_local Known known;
  const auto day = std::chrono::floor<std::chrono::days>(at);
  if (day != known.day) known = {.day = day, .text = web::iso8601(at).substr(0, known.text.size())};
  return known.text.substr(0, std::string_view(with_day ? "2026-11-21" : "2026-11").size());
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

Period Period::next_month() const {
  const bool is_december = name_.ends_with("-12");
  const int year = std::stoi(name_.substr(0, 4)) + (is_december ? 1 : 0);
  const int month = is_december ? 1 : std::stoi(name_.substr(5)) + 1;
  auto text = std::to_string(10'000 + year).substr(1);
  return Period(text.append("-").append(std::to_string(100 + month).substr(1)));
}

store::Time next_day(store::Time at) { return std::chrono::floor<std::chrono::days>(at) + std::chrono::days(1); }

store::Time next_month(store::Time at) { return months_before(at, -1); }

store::Time months_before(store::Time at, int months) {
  const auto date = date_of(at);
  const auto first = date.year() / date.month() / 1 - std::chrono::months(months);
  return std::chrono::sys_days(first);
}

}  // namespace usage
