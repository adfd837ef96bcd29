// Lines of agents' logs.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runtime {

using LogTime = std::chrono::sys_time<std::chrono::milliseconds>;

struct LogLine {
  std::string id;             // ordered as text; see log_position()
  std::optional<LogTime> at;  // when it was written, if known
  std::string text;           // without its line end
};

// With `after` the first `limit` matching lines after it, otherwise the newest `limit`.
struct LogQuery {
  std::size_t limit = 100;
  std::string after;                    // an id; empty: none
  std::optional<LogTime> since, until;  // both inclusive; excludes lines without a time
};

struct LogPage {
  std::vector<LogLine> lines;  // oldest first
  bool is_truncated = false;   // some lines after `after` are no longer stored
};

// Ids are numbers of 19 digits with leading zeros, so that they sort as text.
std::string log_position(std::uint64_t);
// nullopt unless it is such a number.
std::optional<std::uint64_t> parse_log_position(std::string_view);

}  // namespace runtime
