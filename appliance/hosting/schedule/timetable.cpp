#include "appliance/hosting/schedule/timetable.h"

#include <algorithm>
#include <charconv>

#include "appliance/hosting/schedule/frequency.h"
#include "appliance/hosting/schedule/occurrences.h"
#include "web/ascii.h"

namespace schedule {

namespace {

constexpr std::string_view every = "@every", once_at = "@at";

std::chrono::sys_seconds full_second(store::Time time) { return std::chrono::floor<std::chrono::seconds>(time); }

// "2026-12-01T09:00", with seconds or a space instead of the T if given so.
std::optional<LocalTime> local_time_of(std::string_view text) {
  using namespace std::chrono;
  const auto number = [text](std::size_t begin, std::size_t length) -> std::optional<int> {
    int value = 0;
    const auto digits = text.substr(begin, length);
    if (digits.size() != length || !std::ranges::all_of(digits, web::is_digit)) return std::nullopt;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  const bool has_seconds = text.size() == 19;
  if ((!has_seconds && text.size() != 16) || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') ||
      text[13] != ':' || (has_seconds && text[16] != ':'))
    return std::nullopt;
  const auto y = number(0, 4), mon = number(5, 2), d = number(8, 2), h = number(11, 2), min = number(14, 2);
  const auto s = has_seconds ? number(17, 2) : std::optional(0);
  if (!y || !mon || !d || !h || !min || !s || *h > 23 || *min > 59 || *s > 59) return std::nullopt;
  const year_month_day date{year(*y), month(unsigned(*mon)), day(unsigned(*d))};
  if (!date.ok()) return std::nullopt;
  return local_days(date) + hours(*h) + minutes(*min) + seconds(*s);
}

}  // namespace

web::Result<Timetable> Timetable::read(const TimeZones& zones, std::string_view cron_schedule,
                                       std::string_view timezone) {
  const auto* zone = zones.find(timezone);
  if (!zone)
    return web::invalid("timezone: this box knows no '" + std::string(timezone) +
                        "': use a name of the IANA database, as Europe/London or UTC");
  const auto keyword = cron_schedule.substr(0, cron_schedule.find_first_of(" \t"));
  if (keyword == every && keyword.size() < cron_schedule.size()) {
    const auto interval = parse_frequency(web::trim(cron_schedule.substr(keyword.size())));
    if (interval) return Timetable(*interval);
    return web::invalid("cronSchedule: after @every goes a number of minutes, hours or days up to a year, as in 90m");
  }
  if (keyword == once_at) {
    const auto time = local_time_of(web::trim(cron_schedule.substr(keyword.size())));
    if (time) return Timetable(moment_of(*time, *zone));
    return web::invalid("cronSchedule: after @at goes a date and a time of the zone, as in 2026-12-01T09:00");
  }
  const auto cron = Cron::parse(cron_schedule);
  if (!cron) return cron.error();
  return Timetable(InZone{*cron, zone});
}

std::optional<store::Time> Timetable::next(store::Time after) const {
  if (const auto* interval = std::get_if<std::chrono::minutes>(&times_)) return full_second(after) + *interval;
  if (const auto* once = std::get_if<TimePoint>(&times_))
    return *once > full_second(after) ? std::optional<store::Time>(*once) : std::nullopt;
  const auto& [cron, zone] = std::get<InZone>(times_);
  return next_occurrence(cron, *zone, full_second(after));
}

std::vector<store::Time> Timetable::next(store::Time after, std::size_t max_times) const {
  std::vector<store::Time> found;
  for (auto time = next(after); time && found.size() < max_times; time = next(*time)) found.push_back(*time);
  return found;
}

}  // namespace schedule
