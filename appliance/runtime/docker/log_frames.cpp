#include "appliance/runtime/docker/log_frames.h"

#include <algorithm>

#include "appliance/runtime/docker/container.h"

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

LogLine parse_log_line(std::string_view line) {
  constexpr std::string_view to_seconds = "0000-00-00T00:00:00";
  const auto space = std::min(line.find(' '), line.size());
  const auto time = line.substr(0, space);
  const auto at = parse_time(time);
  if (!at) return {.id = log_position(0), .at = {}, .text = std::string(line)};
  std::uint64_t nanoseconds = 0;
  int digits = 0;
  for (auto rest = time.substr(to_seconds.size() + 1); digits < 9; ++digits) {
    const bool is_digit = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
    nanoseconds = nanoseconds * 10 + (is_digit ? std::uint64_t(rest.front() - '0') : 0);
    if (is_digit) rest.remove_prefix(1);
  }
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at->time_since_epoch()).count();
  return {.id = log_position(std::uint64_t(seconds) * 1'000'000'000 + nanoseconds),
          .at = at,
          .text = std::string(line.substr(std::min(line.size(), space + 1)))};
}

std::string since_query(std::string_view id) {
  const auto position = parse_log_position(id);
  if (!position) return {};
  auto fraction = std::to_string(*position % 1'000'000'000);
  fraction.insert(0, 9 - fraction.size(), '0');
  return "&since=" + std::to_string(*position / 1'000'000'000) + "." + fraction;
}

}  // namespace runtime::docker
