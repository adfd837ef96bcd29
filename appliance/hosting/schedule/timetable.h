// The schedule of a task: a cron expression in a time zone, one time in it, "@at 2026-12-01T09:00", or an interval,
// "@every 90m" (the syntax of robfig/cron), which is independent of zones and clock changes.
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

  // The first time later than `after`, on a full second; nullopt if there is none.
  std::optional<store::Time> next(store::Time after) const;
  bool is_one_time() const { return std::holds_alternative<TimePoint>(times_); }
  std::vector<store::Time> next(store::Time after, std::size_t max_times) const;

 private:
  struct InZone {
    Cron cron;
    const TimeZone* zone;
  };
  explicit Timetable(InZone times) : times_(times) {}
  explicit Timetable(std::chrono::minutes interval) : times_(interval) {}
  explicit Timetable(TimePoint once) : times_(once) {}
  std::variant<InZone, std::chrono::minutes, TimePoint> times_;
};

}  // namespace schedule
