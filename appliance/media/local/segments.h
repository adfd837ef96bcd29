// The segments of live streams on disk: nginx writes them, the box deletes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace local {

// Deletes segments that no playlist names any more, folders of broadcasts that are over, and the oldest segments beyond
// `max_bytes`. Blocks.
void tidy_segments(const std::filesystem::path& folder, std::uint64_t max_bytes);

// Whether `name` is a file of a stream that listeners may have: index.m3u8 or <number>.ts.
bool is_playlist(std::string_view name);
bool is_segment(std::string_view name);

}  // namespace local
