// Searches the files of a place for text.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/files/explorer/place.h"
#include "web/result.h"

namespace explorer {

// Limits of one search, which occupies a thread.
struct SearchLimits {
  std::size_t files = 50'000, bytes = 512u << 20, matches = 1'000;
  std::chrono::milliseconds time{3'000};
};
inline constexpr std::size_t max_searched_file_bytes = 4u << 20, max_shown_line_bytes = 400;

struct TextQuery {
  std::string text;  // literal, or a regular expression (RE2, no matches across lines)
  bool is_regexp = false, ignores_case = false;
  std::string path;   // the folder or file to search; empty: everything
  std::string files;  // pattern of paths (Pattern::compile_glob) relative to the place; empty: every file
  std::string_view text_field = "q";  // that errors about `text` name
  std::size_t matches = 100;          // lines returned, at most SearchLimits::matches
};

struct Match {
  std::string path;
  std::size_t line = 1, column = 1;  // of the line's first match; the column in Unicode code points
  std::string text;                  // the line; at most max_shown_line_bytes around the match
};

struct SearchResult {
  std::vector<Match> matches;  // at most one per line; files by name, then subfolders
  std::size_t files = 0;       // searched
  bool is_truncated = false;   // a limit ended the search: there may be more matches
};

// Skips names that are not shown (names.h), links, files that are not UTF-8 text and those larger than
// max_searched_file_bytes. Lines are searched in pieces of at most 64 KB. The time is linear in the bytes, whatever
// the expression. Blocks. Kind::invalid for an invalid or too large expression and for a path that leads outside.
web::Result<SearchResult> search(const Place&, const TextQuery&, const SearchLimits& = {});

}  // namespace explorer
