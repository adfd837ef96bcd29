// Lines of agents' logs, as every engine tells them.
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
  std::string id;             // later lines of an agent have greater ones, as text; see log_position()
  std::optional<LogTime> at;  // when it was written, where that is known
  std::string text;           // without its end
};

// With `after` the `limit` lines that follow that one, otherwise the newest `limit`; of those that are asked for.
struct LogQuery {
  std::size_t limit = 100;
  std::string after;                    // an id; empty: none
  std::optional<LogTime> since, until;  // both inclusive; lines of unknown time are left out then
};

struct LogPage {
  std::vector<LogLine> lines;  // oldest first
  bool is_cut = false;         // lines that followed `after` are kept no more: these are those that are left
};

// Ids are numbers with leading zeros, so that they order as text: 19 digits.
std::string log_position(std::uint64_t);
// Nothing for what is no such number.
std::optional<std::uint64_t> parse_log_position(std::string_view);

}  // namespace runtime
