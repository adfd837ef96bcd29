// Lines of agents' logs, as every engine tells them.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace runtime {

using LogTime = std::chrono::sys_time<std::chrono::milliseconds>;

struct LogLine {
  std::string id;             // later lines of an agent have greater ones, as text; see log_position()
  std::optional<LogTime> at;  // when it was written, where that is known
  std::string text;           // without its end
};

// The newest `limit` lines of those that are asked for.
struct LogQuery {
  std::size_t limit = 100;
  std::string after;                    // an id; empty: from the oldest that is kept
  std::optional<LogTime> since, until;  // both inclusive; lines of unknown time are left out then
};

// Ids are numbers with leading zeros, so that they order as text: 19 digits.
std::string log_position(std::uint64_t);
// Nothing for what is no such number.
std::optional<std::uint64_t> parse_log_position(std::string_view);

}  // namespace runtime
