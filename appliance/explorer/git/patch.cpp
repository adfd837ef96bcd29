#include "appliance/explorer/git/patch.h"

namespace git {

namespace {

constexpr git_off_t most_text_bytes = 8 << 20;

struct Patch {
  std::string text;
  std::size_t most_bytes;
  bool is_whole = true;
};

// A header that names a file and says nothing of it: it is as it was once line ends and filters are reckoned with.
bool is_empty_header(const git_diff_line& line) {
  const std::string_view header(line.content, line.content_len);
  return line.origin == GIT_DIFF_LINE_FILE_HDR && header.find('\n') == header.size() - 1;
}

// Called by libgit2 for each line; anything but 0 ends the printing.
int append_line(const git_diff_delta*, const git_diff_hunk*, const git_diff_line* line, void* payload) {
  auto& patch = *static_cast<Patch*>(payload);
  if (is_empty_header(*line)) return 0;
  if (patch.text.size() + line->content_len + 1 > patch.most_bytes) {
    patch.is_whole = false;
    return GIT_EUSER;
  }
  const bool is_content = line->origin == GIT_DIFF_LINE_CONTEXT || line->origin == GIT_DIFF_LINE_ADDITION ||
                          line->origin == GIT_DIFF_LINE_DELETION;
  if (is_content) patch.text += line->origin;
  patch.text.append(line->content, line->content_len);
  return 0;
}

}  // namespace

PatchOptions::PatchOptions(std::vector<std::string> paths) : paths_(std::move(paths)) {
  options_.flags |= GIT_DIFF_DISABLE_PATHSPEC_MATCH | GIT_DIFF_INDENT_HEURISTIC;
  options_.old_prefix = "a";
  options_.new_prefix = "b";
  options_.max_size = most_text_bytes;
  options_.pathspec = paths_.get();
}

std::optional<std::string> patch_of(git_diff* diff, std::size_t most_bytes) {
  git_diff_find_options similar = GIT_DIFF_FIND_OPTIONS_INIT;
  similar.flags = GIT_DIFF_FIND_RENAMES;
  check(git_diff_find_similar(diff, &similar), "find renamed files");
  Patch patch{.text = {}, .most_bytes = most_bytes};
  const int code = git_diff_print(diff, GIT_DIFF_FORMAT_PATCH, append_line, &patch);
  if (!patch.is_whole) return std::nullopt;
  check(code, "print the differences");
  return std::move(patch.text);
}

}  // namespace git
