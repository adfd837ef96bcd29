#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <charconv>
#include <span>
#include <string>
#include <vector>

#include "appliance/hosting/schedule/cron.h"

namespace schedule {

namespace {

using web::Error;
using web::Result;

struct Macro {
  std::string_view name, meaning;
};
constexpr std::array<Macro, 7> macros{{{"@YEARLY", "0 0 1 1 *"},
                                       {"@ANNUALLY", "0 0 1 1 *"},
                                       {"@MONTHLY", "0 0 1 * *"},
                                       {"@WEEKLY", "0 0 * * 0"},
                                       {"@DAILY", "0 0 * * *"},
                                       {"@MIDNIGHT", "0 0 * * *"},
                                       {"@HOURLY", "0 * * * *"}}};

constexpr std::array<std::string_view, 12> month_names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                       "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> weekday_names{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

struct Field {
  std::string_view name;
  unsigned low, high;  // what * and an open step stand for
  std::span<const std::string_view> names{};
  bool of_days = false;     // takes ? for *
  unsigned highest = high;  // the highest number one may write
};
const Field seconds_field{"seconds", 0, 59};
const Field minutes_field{"minutes", 0, 59};
const Field hours_field{"hours", 0, 23};
const Field days_field{.name = "day of month", .low = 1, .high = 31, .of_days = true};
const Field months_field{"month", 1, 12, month_names};
const Field weekdays_field{
    .name = "day of week", .low = 0, .high = 6, .names = weekday_names, .of_days = true, .highest = 7};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Separated by blanks and tabs, as in a crontab.
std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const auto part : split(text, ' '))
    for (const auto word : split(part, '\t'))
      if (!word.empty()) parts.push_back(word);
  return parts;
}

Error bad(const Field& field, std::string_view item, const std::string& why) {
  return web::invalid("cronSchedule: '" + std::string(item) + "' is no " + std::string(field.name) + ": " + why);
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string bounds(unsigned low, unsigned high) { return std::to_string(low) + " to " + std::to_string(high); }

Result<unsigned> value(const Field& field, std::string_view text, std::string_view item) {
  for (std::size_t at = 0; at < field.names.size(); ++at)
    if (field.names[at] == text) return unsigned(at) + field.low;
  const auto found = number(text);
  if (found && *found >= field.low && *found <= field.highest) return *found;
  std::string expected = "a number from " + bounds(field.low, field.highest);
  if (!field.names.empty())
    expected += " or a name from " + std::string(field.names.front()) + " to " + std::string(field.names.back());
  return bad(field, item, expected + " belongs there");
}

}  // namespace

// Reads upper-case words into a Cron, field by field.
class CronParser {
 public:
  Result<Cron> read(std::span<const std::string_view> fields) {
    const std::string_view hours = fields[2], days = fields[3], weekdays = fields[5];
    const std::array results{
        list(seconds_field, fields[0], cron_.seconds_), list(minutes_field, fields[1], cron_.minutes_),
        list(hours_field, hours, cron_.hours_),         list(days_field, days, cron_.days_),
        list(months_field, fields[4], cron_.months_),   list(weekdays_field, weekdays, cron_.weekdays_)};
    for (const auto& result : results)
      if (!result) return result.error();
    cron_.either_day_ = !is_open(days) && !is_open(weekdays);
    cron_.goes_by_hours_passed_ = hours.find_first_of("*/") != std::string_view::npos;
    return cron_;
  }

 private:
  static bool is_open(std::string_view field) { return field.starts_with('*') || field.starts_with('?'); }

  Result<void> list(const Field& field, std::string_view text, std::uint64_t& bits) {
    for (const auto item : split(text, ',')) {
      if (item.empty()) return bad(field, text, "a list has an empty place");
      const auto special = &field == &days_field       ? day_before_last(item)
                           : &field == &weekdays_field ? weekday_of_month(item)
                                                       : Result<bool>(false);
      if (!special) return special.error();
      if (*special) continue;
      if (auto range = plain(field, item, bits); !range) return range;
    }
    return {};
  }

  // *, ?, a value or a range, with or without a step.
  static Result<void> plain(const Field& field, std::string_view item, std::uint64_t& bits) {
    const auto slash = item.find('/');
    const auto base = item.substr(0, slash);
    const auto dash = base.find('-');
    unsigned from = field.low, to = field.high, step = 1;
    if (base != "*" && !(field.of_days && base == "?")) {
      const auto begin = value(field, base.substr(0, dash), item);
      if (!begin) return begin.error();
      from = *begin;
      if (dash != std::string_view::npos) {
        const auto end = value(field, base.substr(dash + 1), item);
        if (!end) return end.error();
        to = *end;
        if (&field == &weekdays_field && to == 0 && from > 0) to = 7;  // up to Sunday
        if (to < from) return bad(field, item, "it counts backwards: write it as two ranges with a comma");
      } else if (slash == std::string_view::npos) {
        to = from;
      } else if (from > to) {
        to = from;
      }
    }
    if (slash != std::string_view::npos) {
      const auto wanted = number(item.substr(slash + 1));
      const auto most = field.high - field.low;
      if (!wanted || *wanted == 0 || *wanted > most)
        return bad(field, item, "a step is a number from " + bounds(1, most));
      step = *wanted;
    }
    for (unsigned number = from; number <= to; number += step) {
      const bool sunday_as_seven = &field == &weekdays_field && number == 7;
      bits |= std::uint64_t{1} << (sunday_as_seven ? 0 : number);
    }
    return {};
  }

  // L and L-2; false for another item.
  Result<bool> day_before_last(std::string_view item) {
    if (!item.starts_with('L')) return false;
    const auto before = item == "L"              ? std::optional(0u)
                        : item.starts_with("L-") ? number(item.substr(2))
                                                 : std::nullopt;
    if (!before || *before > 30) return bad(days_field, item, "L stands alone or with the days before the last: L-2");
    cron_.days_before_last_ |= std::uint64_t{1} << *before;
    return true;
  }

  // 5L and FRI#2; false for another item.
  Result<bool> weekday_of_month(std::string_view item) {
    const auto mark = item.find('#');
    const bool is_last = mark == std::string_view::npos && item.ends_with('L');
    if (mark == std::string_view::npos && !is_last) return false;
    if (item == "L") return bad(weekdays_field, item, "say which day's last one: 5L or FRIL is the last Friday");
    const auto name = value(weekdays_field, item.substr(0, is_last ? item.size() - 1 : mark), item);
    if (!name) return name.error();
    const auto weekday = *name % 7;
    if (is_last) {
      cron_.last_weekdays_ |= std::uint64_t{1} << weekday;
      return true;
    }
    const auto which = number(item.substr(mark + 1));
    if (!which || *which < 1 || *which > 5) return bad(weekdays_field, item, "after # belongs a number from 1 to 5");
    cron_.numbered_weekdays_.at(weekday) |= std::uint64_t{1} << *which;
    return true;
  }

  Cron cron_;
};

Result<Cron> Cron::parse(std::string_view text) {
  auto upper = boost::algorithm::to_upper_copy(std::string(text), std::locale::classic());
  auto fields = words(upper);
  if (fields.size() == 1 && fields[0].starts_with('@')) {
    const auto macro = std::ranges::find(macros, fields[0], &Macro::name);
    if (macro == macros.end())
      return web::invalid("cronSchedule: there is @yearly, @monthly, @weekly, @daily and @hourly, but no " +
                          std::string(text));
    fields = words(macro->meaning);
  }
  if (fields.size() == 5) fields.insert(fields.begin(), "0");
  if (fields.size() != 6)
    return web::invalid(
        "cronSchedule must have 5 fields (minute hour day-of-month month day-of-week), or 6 with the "
        "second first");
  auto cron = CronParser().read(fields);
  if (!cron) return cron;
  // The calendar repeats itself every 400 years.
  const LocalTime from = std::chrono::local_days(std::chrono::year(2000) / 1 / 1);
  if (!cron->first(from, std::chrono::local_days(std::chrono::year(2400) / 1 / 1)))
    return web::invalid("cronSchedule: the date never occurs");
  return cron;
}

}  // namespace schedule
