// When a task comes due: its cron expression in its time zone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/schedule/cron.h"
#include "appliance/schedule/time_zone.h"
#include "store/store.h"
#include "web/result.h"

namespace schedule {

class Timetable {
 public:
  // Kind::invalid, with a sentence that names the field, for a wrong expression and an unknown zone. `zones` must
  // outlive it.
  static web::Result<Timetable> read(const TimeZones& zones, std::string_view cron_schedule, std::string_view timezone);

  // The first time later than `after`, on a full second.
  std::optional<store::Time> next(store::Time after) const;
  std::vector<store::Time> next(store::Time after, std::size_t count) const;

 private:
  Timetable(Cron cron, const TimeZone& zone) : cron_(cron), zone_(&zone) {}
  Cron cron_;
  const TimeZone* zone_;
};

}  // namespace schedule
