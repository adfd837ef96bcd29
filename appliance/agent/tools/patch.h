// Unified diffs as models write them: `--- a/path`, `+++ b/path`, hunks of lines that begin with ' ', '-' or '+'. The
// line counts in "@@ -10,4 +10,5 @@" are ignored, since models miscount; the old line number only decides between
// places that match equally.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace agent_process {

struct PatchHunk {
  std::optional<std::size_t> old_line;  // as the header says, from 1 on; nullopt: "@@" alone
  std::vector<std::string> before, after;
};

struct FilePatch {
  std::string from, to;  // without a/ and b/; empty for /dev/null
  std::vector<PatchHunk> hunks;
  bool is_new() const { return from.empty(); }
  bool removes() const { return to.empty(); }
};

// At least one file, each with a hunk unless it is renamed or removed. Kind::invalid, naming the line.
web::Result<std::vector<FilePatch>> parse_patch(std::string_view text);

// The file's new content. Every hunk's old lines must match exactly; the hunks apply in order. Line ends of the file
// (LF or CRLF) are kept. Kind::invalid, naming the file and the hunk, with the lines that do not match.
web::Result<std::string> apply_hunks(const FilePatch&, std::string_view content);

}  // namespace agent_process
