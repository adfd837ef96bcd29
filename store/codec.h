// Records to bytes and back. A record is a described struct; its JSON has one field for each member.
// Known member types: std::string, bool, std::int64_t, std::uint64_t, int, double, Time, Sealed, Decimal, described enums (by
// name), std::optional, std::vector, std::map<std::string, T>, boost::json::object and value, nested described structs.
// A field that is absent keeps the member's default, so that members can be added without a migration.
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace store {

// UTC, stored as milliseconds since the epoch.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;
inline Time now() { return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

// A secret: clear in memory, AES-256-GCM under the box's master key on disk, bound to its table, record and field.
struct Sealed {
  std::string clear;
  bool operator==(const Sealed&) const = default;
};

class Sealer;  // seal.h

}  // namespace store
