// The stream in which the Docker Engine sends what a container without a terminal writes: frames of stdout and stderr
// one after the other. Source: Docker Engine API, ContainerAttach, "Stream format": [type, 0, 0, 0, size as big-endian
// 32 bits] and so many bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "appliance/hosting/runtime/log_line.h"

namespace runtime::docker {

class LogFrames {
 public:
  // `line` gets each whole line without its end, in the order of the frames. A line that is longer than `longest` is
  // handed over in pieces of that size.
  explicit LogFrames(std::function<void(std::string_view line)> line, std::size_t longest = 16 * 1024);

  // Any piece of the stream. False once the stream is not in this format (a terminal's, say): nothing more is read.
  bool take(std::string_view bytes);
  // What is left of a line that was not ended.
  void finish();

 private:
  void text(std::string& line, std::string_view bytes);

  std::function<void(std::string_view)> line_;
  const std::size_t longest_;
  std::string header_;         // less than eight bytes
  std::size_t remaining_ = 0;  // of the frame's payload
  bool to_stderr_ = false;
  std::string out_, err_;  // each stream's line that is not ended yet
};

// A line that begins with the engine's time (`timestamps=1`): its id is that time in nanoseconds since the epoch. One
// without a time has the least id.
LogLine parse_log_line(std::string_view);
// "&since=1700000000.000000001" for an id; nothing for none.
std::string since_query(std::string_view id);

}  // namespace runtime::docker
