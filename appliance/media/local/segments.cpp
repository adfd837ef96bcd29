#include "appliance/media/local/segments.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <vector>

#include "web/ascii.h"

namespace local {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

// Playlists name the segments of the last 16 seconds; players may be behind.
constexpr auto kept = 60s;

struct Segment {
  fs::path path;
  fs::file_time_type written;
  std::uint64_t size = 0;
};

}  // namespace

bool is_playlist(std::string_view name) { return name == "index.m3u8"; }

bool is_segment(std::string_view name) {
  constexpr std::string_view ending = ".ts";
  if (!name.ends_with(ending) || name.size() == ending.size() || name.size() > 24) return false;
  return web::all_digits(name.substr(0, name.size() - ending.size()));
}

void tidy_segments(const fs::path& folder, std::uint64_t max_bytes) {
  const auto now = fs::file_time_type::clock::now();
  std::vector<Segment> segments;
  std::uint64_t total = 0;
  std::error_code error;
  for (const auto& stream : fs::directory_iterator(folder, error)) {
    bool is_over = true;
    for (const auto& file : fs::directory_iterator(stream.path(), error)) {
      std::error_code vanished;
      const auto written = file.last_write_time(vanished);
      const auto size = file.file_size(vanished);
      if (vanished) continue;
      const bool is_old = now - written > kept;
      is_over &= is_old;
      if (is_old && is_segment(file.path().filename().string())) {
        fs::remove(file.path(), vanished);
        continue;
      }
      segments.push_back({file.path(), written, size});
      total += size;
    }
    if (is_over) fs::remove_all(stream.path(), error);
  }
  std::ranges::sort(segments, {}, &Segment::written);
  for (const auto& segment : segments) {
    if (total <= max_bytes) break;
    if (!is_segment(segment.path.filename().string())) continue;
    fs::remove(segment.path, error);
    total -= segment.size;
  }
}

}  // namespace local
