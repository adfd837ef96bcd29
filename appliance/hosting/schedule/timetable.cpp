#include "appliance/hosting/schedule/timetable.h"

#include "appliance/hosting/schedule/frequency.h"
#include "appliance/hosting/schedule/occurrences.h"
#include "web/ascii.h"

namespace schedule {

namespace {

constexpr std::string_view every = "@every";

std::chrono::sys_seconds full_second(store::Time time) { return std::chrono::floor<std::chrono::seconds>(time); }

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
  const auto cron = Cron::parse(cron_schedule);
  if (!cron) return cron.error();
  return Timetable(InZone{*cron, zone});
}

std::optional<store::Time> Timetable::next(store::Time after) const {
  if (const auto* interval = std::get_if<std::chrono::minutes>(&times_)) return full_second(after) + *interval;
  const auto& [cron, zone] = std::get<InZone>(times_);
  return next_occurrence(cron, *zone, full_second(after));
}

std::vector<store::Time> Timetable::next(store::Time after, std::size_t count) const {
  std::vector<store::Time> found;
  for (auto time = next(after); time && found.size() < count; time = next(*time)) found.push_back(*time);
  return found;
}

}  // namespace schedule
