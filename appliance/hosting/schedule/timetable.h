// The schedule of a task: a cron expression in a time zone, or an interval, "@every 90m" (the syntax of robfig/cron),
// which is independent of zones and clock changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "appliance/hosting/schedule/cron.h"
#include "appliance/hosting/schedule/time_zone.h"
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
  struct InZone {
    Cron cron;
    const TimeZone* zone;
  };
  explicit Timetable(InZone times) : times_(times) {}
  explicit Timetable(std::chrono::minutes interval) : times_(interval) {}
  std::variant<InZone, std::chrono::minutes> times_;
};

}  // namespace schedule
