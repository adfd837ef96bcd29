#include "appliance/hosting/schedule/posix_rule.h"

#include <algorithm>
#include <charconv>

#include "web/ascii.h"

namespace schedule {

using namespace std::chrono;

// A cursor over the rule's text. What cannot be read sets `failed` and reads as nothing.
class PosixRuleParser {
 public:
  explicit PosixRuleParser(std::string_view text) : left_(text) {}

  std::optional<PosixRule> read() {
    PosixRule rule;
    name();
    rule.standard_ = -time(24);
    if (!left_.empty()) {
      rule.has_daylight_ = true;
      name();
      rule.daylight_ = left_.starts_with(',') ? rule.standard_ + hours(1) : -time(24);
      rule.begin_ = day();
      rule.end_ = day();
    }
    if (failed_ || !left_.empty()) return std::nullopt;
    return rule;
  }

 private:
  bool take(char wanted) {
    if (!left_.starts_with(wanted)) return false;
    left_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) { failed_ |= !take(wanted); }

  // Letters, or anything in angle brackets.
  void name() {
    std::size_t length = 0;
    if (take('<')) {
      length = left_.find('>');
      failed_ |= length == std::string_view::npos || length == 0;
      left_.remove_prefix(failed_ ? left_.size() : length + 1);
      return;
    }
    while (length < left_.size() && web::is_letter(left_[length])) ++length;
    failed_ |= length == 0;
    left_.remove_prefix(length);
  }

  unsigned number(unsigned low, unsigned high) {
    unsigned value = 0;
    const auto [end, failure] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    left_.remove_prefix(std::size_t(end - left_.data()));
    failed_ |= failure != std::errc() || value < low || value > high;
    return failed_ ? low : value;
  }

  seconds time(unsigned max_hours) {
    const bool negative = take('-');
    if (!negative) take('+');
    seconds value = hours(number(0, max_hours));
    if (take(':')) value += minutes(number(0, 59));
    if (take(':')) value += seconds(number(0, 59));
    return negative ? -value : value;
  }

  PosixRule::Day day() {
    PosixRule::Day day;
    expect(',');
    if (take('M')) {
      day.month = number(1, 12);
      expect('.');
      day.week = number(1, 5);
      expect('.');
      day.weekday = number(0, 6);
    } else if (take('J')) {
      day.form = PosixRule::Day::Form::julian;
      day.number = number(1, 365);
    } else {
      day.form = PosixRule::Day::Form::zero_based;
      day.number = number(0, 365);
    }
    if (take('/')) day.time = time(167);
    return day;
  }

  std::string_view left_;
  bool failed_ = false;
};

std::optional<PosixRule> PosixRule::parse(std::string_view text) { return PosixRuleParser(text).read(); }

local_seconds PosixRule::Day::in(year year) const {
  const local_days new_year{year / 1 / 1};
  switch (form) {
    case Form::julian:
      return new_year + days(number - 1 + (year.is_leap() && number > 59 ? 1 : 0)) + time;
    case Form::zero_based:
      return new_year + days(number) + time;
    case Form::month_week_weekday:
      break;
  }
  const auto of_month = year / std::chrono::month(month);
  const std::chrono::weekday name(weekday);
  return (week == 5 ? local_days(of_month / name[last]) : local_days(of_month / name[week])) + time;
}

std::vector<OffsetChange> PosixRule::changes(year year) const {
  if (!has_daylight_) return {};
  const auto utc = [](local_seconds local, seconds offset) { return sys_seconds(local.time_since_epoch() - offset); };
  std::vector<OffsetChange> found{{utc(begin_.in(year), standard_), daylight_},
                                  {utc(end_.in(year), daylight_), standard_}};
  std::ranges::sort(found, {}, &OffsetChange::at);
  return found;
}

}  // namespace schedule
