// The log of an agent that runs as a process: agent.log, which the agent appends to, and agent.log.1, the part before.
// A line's id is the offset of its end in the whole log since the beginning: agent.log.start holds the offset at which
// agent.log begins, as decimal digits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/runtime/log_line.h"

namespace runtime {

// Blocks. The caller ensures that the log is not read during a rotation.
class LogFile {
 public:
  explicit LogFile(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Copies the log to agent.log.1 and empties it once it is larger than `limit`. Writers keep using the same
  // file; lines written between copying and emptying are lost. Throws std::system_error.
  void rotate(std::uint64_t limit) const;

  // Adds a line of the box's own, after the agent has ended: a line that the agent left incomplete is ended before.
  // Does nothing if there is no log. Throws std::system_error.
  void append(std::string_view line) const;

  // An `after` from another log (of another engine) counts as no longer stored.
  LogPage read(const LogQuery&) const;
  // Whole lines after this offset, at most `max_bytes` of them; sets `position` to the end of the last. Lines that
  // are no longer stored are skipped.
  std::vector<LogLine> read_on(std::uint64_t& position, std::size_t max_bytes) const;
  // The offset after the last whole line.
  std::uint64_t end() const;

 private:
  std::uint64_t start() const;

  std::filesystem::path folder_;
};

}  // namespace runtime
