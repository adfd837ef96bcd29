// The log of an agent that runs as a process: agent.log, which the agent appends to, and agent.log.1, the part before.
// A line's id is the offset of its end in everything that was ever logged: agent.log.start holds the offset at which
// agent.log begins, as decimal digits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/hosting/runtime/log_line.h"

namespace runtime {

// Blocks. Rotating excludes reading: the caller sees to it.
class LogFile {
 public:
  explicit LogFile(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Copies the log to agent.log.1 and empties it once it is larger than `limit`. Whoever writes goes on in the same
  // file; what is written between the copy and the emptying is lost. Throws std::system_error.
  void rotate(std::uint64_t limit) const;

  // An `after` that is not of this log (the agent ran in another engine then) counts as one that is kept no more.
  LogPage read(const LogQuery&) const;
  // Whole lines after this offset, at most `most_bytes` of them; `position` is moved behind the last. What was rotated
  // away is skipped.
  std::vector<LogLine> read_on(std::uint64_t& position, std::size_t most_bytes) const;
  // The offset behind the last whole line.
  std::uint64_t end() const;

 private:
  std::uint64_t start() const;

  std::filesystem::path folder_;
};

}  // namespace runtime
