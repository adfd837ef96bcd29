#include "appliance/runtime/docker/log_frames.h"

#include <algorithm>
#include <utility>

namespace runtime::docker {
namespace {

constexpr std::size_t header_bytes = 8;
constexpr unsigned char standard_error = 2;

}  // namespace

LogFrames::LogFrames(std::function<void(std::string_view)> line, std::size_t longest)
    : line_(std::move(line)), longest_(longest) {}

bool LogFrames::take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (remaining_ == 0) {
      const auto wanted = std::min(header_bytes - header_.size(), bytes.size());
      header_.append(bytes.substr(0, wanted));
      bytes.remove_prefix(wanted);
      if (header_.size() < header_bytes) return true;
      const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(header_[at]); };
      if (byte(0) > standard_error || byte(1) != 0 || byte(2) != 0 || byte(3) != 0) return false;
      to_stderr_ = byte(0) == standard_error;
      for (std::size_t at = 4; at < header_bytes; ++at) remaining_ = remaining_ << 8 | byte(at);
      header_.clear();
      continue;
    }
    const auto piece = bytes.substr(0, remaining_);
    text(to_stderr_ ? err_ : out_, piece);
    remaining_ -= piece.size();
    bytes.remove_prefix(piece.size());
  }
  return true;
}

void LogFrames::text(std::string& line, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, std::min(bytes.find('\n'), longest_ - line.size()));
    line.append(piece);
    bytes.remove_prefix(piece.size());
    if (bytes.empty()) return;  // a full line may end with what comes next
    if (bytes.front() == '\n') {
      bytes.remove_prefix(1);
      if (line.ends_with('\r')) line.pop_back();
    }
    line_(line);
    line.clear();
  }
}

void LogFrames::finish() {
  for (auto* line : {&out_, &err_})
    if (!line->empty()) line_(std::exchange(*line, {}));
}

}  // namespace runtime::docker
