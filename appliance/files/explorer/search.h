// Looking for text in the files of a place.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/files/explorer/place.h"
#include "web/result.h"

namespace explorer {

// Where a search ends, found or not: it holds a thread.
struct SearchCaps {
  std::size_t files = 50'000, bytes = 512u << 20, matches = 1'000;
  std::chrono::milliseconds time{3'000};
};
inline constexpr std::size_t most_searched_file_bytes = 4u << 20, most_shown_line_bytes = 400;

struct SearchOrder {
  std::string text;  // literally, or a regular expression (RE2's, without matches across lines)
  bool is_regexp = false, ignores_case = false;
  std::string path;           // the folder or file to look in; empty: everything
  std::size_t matches = 100;  // at most so many lines, and never more than SearchCaps::matches
};

struct Match {
  std::string path;
  std::size_t line = 1, column = 1;  // of the line's first match; the column in Unicode code points
  std::string text;                  // the line; of a long one at most most_shown_line_bytes round the match
};

struct Found {
  std::vector<Match> matches;  // one a line; by folder, each folder's files by name before the folders in it
  std::size_t files = 0;       // that were looked through
  bool is_cut = false;         // a cap ended the search: there may be more
};

// What is_shown tells to leave out is passed over, and so are links, files that are no UTF-8 text, and those of more
// than most_searched_file_bytes. Lines are looked at in pieces of 64 KB at most. The time is linear in the bytes
// whatever the expression. Blocks. Kind::invalid for an expression that is none or too large, and a path that leads
// out.
web::Result<Found> search(const Place&, const SearchOrder&, const SearchCaps& = {});

}  // namespace explorer
