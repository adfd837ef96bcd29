#include "appliance/foundation/timestamp.h"

#include <chrono>

#include "web/ascii.h"

namespace agentbox {

namespace {

using namespace std::chrono;

// Takes exactly `digits` digits from the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (!web::is_digit(c)) return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take_one_of(std::string_view& text, std::string_view marks) {
  if (text.empty() || marks.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<sys_days> take_date(std::string_view& text) {
  const auto year_number = take_number(text, 4);
  if (!year_number || !take_one_of(text, "-")) return std::nullopt;
  const auto month_number = take_number(text, 2);
  if (!month_number || !take_one_of(text, "-")) return std::nullopt;
  const auto day_number = take_number(text, 2);
  if (!day_number) return std::nullopt;
  const year_month_day date{year(*year_number), month(static_cast<unsigned>(*month_number)),
                            day(static_cast<unsigned>(*day_number))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

std::optional<milliseconds> take_fraction(std::string_view& text) {
  if (!take_one_of(text, ".")) return milliseconds{0};
  if (text.empty() || !web::is_digit(text.front())) return std::nullopt;
  milliseconds fraction{0};
  for (int scale = 100; !text.empty() && web::is_digit(text.front()); text.remove_prefix(1), scale /= 10)
    fraction += milliseconds((text.front() - '0') * scale);
  return fraction;
}

std::optional<milliseconds> take_time_of_day(std::string_view& text) {
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take_one_of(text, ":")) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take_one_of(text, ":")) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 60) return std::nullopt;
  const auto fraction = take_fraction(text);
  if (!fraction) return std::nullopt;
  const milliseconds start = hours(*hour) + minutes(*minute);
  return *second == 60 ? start + 59'999ms : start + seconds(*second) + *fraction;
}

std::optional<minutes> take_offset(std::string_view& text) {
  if (take_one_of(text, "Zz")) return minutes{0};
  const bool is_west = text.starts_with('-');
  if (!take_one_of(text, "+-")) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take_one_of(text, ":")) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  const minutes offset = hours(*hour) + minutes(*minute);
  return is_west ? -offset : offset;
}

}  // namespace

std::optional<store::Time> parse_timestamp(std::string_view text) {
  const auto date = take_date(text);
  if (!date || !take_one_of(text, "Tt")) return std::nullopt;
  const auto time = take_time_of_day(text);
  if (!time) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return store::Time(*date + *time - *offset);
}

}  // namespace agentbox
