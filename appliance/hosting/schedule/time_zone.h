// Time zones by IANA name, from the system's tzdata: what the clocks of a place showed, show and will show.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/schedule/tzif.h"

namespace schedule {

using SessionEpoch = std::chrono::sys_seconds;

// A stretch of time with one offset from UTC, up to the next clock change.
struct Period {
  SessionEpoch begin, end;      // SessionEpoch::min() and SessionEpoch::max() when there is no change on that side
  std::chrono::seconds offset;  // local time is UTC plus this
};

class TimeZone {
 public:
  // `changes` as read_tzif gives them.
  TimeZone(std::string name, std::vector<OffsetChange> changes)
      : name_(std::move(name)), changes_(std::move(changes)) {}

  const std::string& name() const { return name_; }
  Period at(SessionEpoch) const;

 private:
  const std::string name_;
  const std::vector<OffsetChange> changes_;
};

// Reads each zone once, and keeps it: new tzdata is seen after a restart. Callable from every thread.
class TimeZones {
 public:
  explicit TimeZones(std::filesystem::path folder = "/usr/share/zoneinfo") : folder_(std::move(folder)) {}

  // Null for a name that tzdata does not have (names are case-sensitive) and for a file that is no zone. UTC is there
  // also without tzdata. The zone lives as long as this.
  const TimeZone* find(std::string_view name) const;

  // The box's own zone: what TZ names, else what /etc/localtime points to, else UTC.
  std::string of_the_box() const;

 private:
  std::unique_ptr<const TimeZone> load(const std::string& name) const;

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;  // protects zones_
  mutable std::map<std::string, std::unique_ptr<const TimeZone>, std::less<>> zones_;
};

}  // namespace schedule
