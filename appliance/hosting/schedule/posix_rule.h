// The rule at the end of a TZif file, for the years after its table: "CET-1CEST,M3.5.0,M10.5.0/3" (POSIX TZ).
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "appliance/hosting/schedule/tzif.h"

namespace schedule {

class PosixRule {
 public:
  // nullopt for an invalid rule. Hours are from -167 to 167 (RFC 9636).
  static std::optional<PosixRule> parse(std::string_view text);

  // The changes of one year, ascending; none without daylight saving time.
  std::vector<OffsetChange> changes(std::chrono::year) const;
  std::chrono::seconds standard() const { return standard_; }

 private:
  friend class PosixRuleParser;
  // The day of a change, and the local time of that day.
  struct Day {
    enum class Form { month_week_weekday, julian, zero_based };
    Form form = Form::month_week_weekday;
    unsigned month = 1, week = 1, weekday = 0;  // week 5 is the last
    unsigned number = 0;                        // julian: 1 to 365, never 29 February; zero_based: 0 to 365
    std::chrono::seconds time = std::chrono::hours(2);
    std::chrono::local_seconds in(std::chrono::year) const;
  };

  std::chrono::seconds standard_{}, daylight_{};
  bool has_daylight_ = false;
  Day begin_, end_;  // of daylight saving time
};

}  // namespace schedule
