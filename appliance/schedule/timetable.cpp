#include "appliance/schedule/timetable.h"

#include "appliance/schedule/occurrences.h"

namespace schedule {

web::Result<Timetable> Timetable::read(const TimeZones& zones, std::string_view cron_schedule,
                                       std::string_view timezone) {
  const auto cron = Cron::parse(cron_schedule);
  if (!cron) return cron.error();
  const auto* zone = zones.find(timezone);
  if (!zone)
    return web::invalid("timezone: this box knows no '" + std::string(timezone) +
                        "': use a name of the IANA database, as Europe/London or UTC");
  return Timetable(*cron, *zone);
}

std::optional<store::Time> Timetable::next(store::Time after) const {
  return next_occurrence(cron_, *zone_, std::chrono::floor<std::chrono::seconds>(after));
}

std::vector<store::Time> Timetable::next(store::Time after, std::size_t count) const {
  const auto found = next_occurrences(cron_, *zone_, std::chrono::floor<std::chrono::seconds>(after), count);
  return {found.begin(), found.end()};
}

}  // namespace schedule
