// The bytes of a time zone: TZif files (RFC 9636), which tzdata installs.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace schedule {

// From `at` on local time is UTC plus `offset`.
struct OffsetChange {
  std::chrono::sys_seconds at;
  std::chrono::seconds offset;
};

// Every change of the offset, ascending, from sys_seconds::min() on; future changes are expanded up to 2500.
// nullopt unless the bytes are TZif of version 2 or later without leap seconds.
std::optional<std::vector<OffsetChange>> read_tzif(std::string_view bytes);

}  // namespace schedule
