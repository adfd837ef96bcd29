// Time zones by IANA name, from the system's tzdata.
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

using TimePoint = std::chrono::sys_seconds;

// A period with one offset from UTC, up to the next clock change.
struct Period {
  TimePoint begin, end;         // TimePoint::min() and TimePoint::max() when there is no change on that side
  std::chrono::seconds offset;  // local time is UTC plus this
};

class TimeZone {
 public:
  // `changes` as returned by read_tzif.
  TimeZone(std::string name, std::vector<OffsetChange> changes)
      : name_(std::move(name)), changes_(std::move(changes)) {}

  const std::string& name() const { return name_; }
  Period at(TimePoint) const;

 private:
  const std::string name_;
  const std::vector<OffsetChange> changes_;
};

// Caches zones: new tzdata takes effect after a restart. Thread-safe.
class TimeZones {
 public:
  explicit TimeZones(std::filesystem::path folder = "/usr/share/zoneinfo") : folder_(std::move(folder)) {}

  // Null for a name that tzdata does not have (names are case-sensitive) and for invalid files. UTC exists also
  // without tzdata. The zone lives as long as this object.
  const TimeZone* find(std::string_view name) const;

  // The box's own zone: from TZ, else /etc/localtime, else UTC.
  std::string of_the_box() const;

 private:
  std::unique_ptr<const TimeZone> load(const std::string& name) const;

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;  // protects zones_
  mutable std::map<std::string, std::unique_ptr<const TimeZone>, std::less<>> zones_;
};

}  // namespace schedule
