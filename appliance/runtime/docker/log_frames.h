// The stream in which the Docker Engine sends the output of a container without a terminal: interleaved frames of
// stdout and stderr. Source: Docker Engine API, ContainerAttach, "Stream format": [type, 0, 0, 0, size as big-endian 32
// bits] followed by that many bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "appliance/runtime/log_line.h"

namespace runtime::docker {

class LogFrames {
 public:
  // `line` gets each complete line without its end, in the order of the frames. Lines longer than `longest` are passed
  // in pieces of that size.
  explicit LogFrames(std::function<void(std::string_view line)> line, std::size_t longest = 16 * 1024);

  // Takes any piece of the stream. False once the stream is not in this format (a terminal's, for example).
  bool take(std::string_view bytes);
  // Passes on incomplete last lines.
  void finish();

 private:
  void text(std::string& line, std::string_view bytes);

  std::function<void(std::string_view)> line_;
  const std::size_t longest_;
  std::string header_;         // less than eight bytes
  std::size_t remaining_ = 0;  // of the frame's payload
  bool to_stderr_ = false;
  std::string out_, err_;  // the incomplete line of each stream
};

// Parses a line with the engine's timestamp (`timestamps=1`): its id is that time in nanoseconds since the epoch.
// Without a timestamp it is the lowest id.
LogLine parse_log_line(std::string_view);
// "&since=1700000000.000000001" for an id; empty for an empty id.
std::string since_query(std::string_view id);

}  // namespace runtime::docker
