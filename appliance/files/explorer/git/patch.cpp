#include "appliance/files/explorer/git/patch.h"

#include <string_view>

#include "appliance/files/explorer/git/settings.h"

namespace git {

namespace {

constexpr git_off_t max_text_bytes = 8 << 20;

struct Patches {
  std::vector<FilePatch> list;
  std::size_t max_bytes, bytes = 0;
  bool is_whole = true;
};

bool is_empty_blob(const git_oid& id) { return git_oid_streq(&id, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391") == 0; }

// For patch(1), which would end such a name at its first space.
void end_name_with_tab(std::string& header, std::string_view side) {
  const auto at = header.find(side);
  if (at == std::string::npos) return;
  const auto name = at + side.size(), end = header.find('\n', name);
  if (header.find(' ', name) < end) header.insert(end, 1, '\t');
}

// Corrects three differences from git: libgit2 prints the commit of a submodule of which only files differ, and both
// sides of an empty file that was added or deleted; and it omits the tab after names with spaces.
std::string header_of(const git_diff_delta& delta, std::string_view text) {
  std::string header(text);
  const bool is_of_nothing = (delta.status == GIT_DELTA_ADDED && is_empty_blob(delta.new_file.id)) ||
                             (delta.status == GIT_DELTA_DELETED && is_empty_blob(delta.old_file.id));
  if (const auto sides = header.find("\n--- "); is_of_nothing && sides != std::string::npos) header.resize(sides + 1);
  const bool is_same_commit = delta.old_file.mode == GIT_FILEMODE_COMMIT &&
                              delta.new_file.mode == GIT_FILEMODE_COMMIT &&
                              git_oid_equal(&delta.old_file.id, &delta.new_file.id) != 0;
  const auto at = header.find("\nindex ");
  if (is_same_commit && at != std::string::npos) header.erase(at + 1, header.find('\n', at + 1) - at);
  end_name_with_tab(header, "\n--- ");
  end_name_with_tab(header, "\n+++ ");
  return header;
}

// A header without any difference: the file is unchanged once line ends and filters are taken into account.
bool is_empty(std::string_view header) { return header.find('\n') == header.size() - 1; }

// Called by libgit2 for each line; anything but 0 ends the printing.
int append_line(const git_diff_delta* delta, const git_diff_hunk*, const git_diff_line* line, void* payload) {
  auto& patches = *static_cast<Patches*>(payload);
  const std::string_view content(line->content, line->content_len);
  const bool is_header = line->origin == GIT_DIFF_LINE_FILE_HDR;
  if (is_header && is_empty(content)) return 0;
  patches.bytes += content.size() + 1;
  if (patches.bytes > patches.max_bytes) {
    patches.is_whole = false;
    return GIT_EUSER;
  }
  if (is_header) {
    patches.list.push_back({.path = delta->new_file.path, .text = header_of(*delta, content)});
    return 0;
  }
  const bool is_content = line->origin == GIT_DIFF_LINE_CONTEXT || line->origin == GIT_DIFF_LINE_ADDITION ||
                          line->origin == GIT_DIFF_LINE_DELETION;
  auto& text = patches.list.back().text;
  if (is_content) text += line->origin;
  text += content;
  return 0;
}

// Called by libgit2 for each difference. 0: include it; positive: skip it.
int ask_filter(const git_diff*, const git_diff_delta* delta, const char*, void* payload) {
  const auto& counts = *static_cast<const PatchOptions::Filter*>(payload);
  return counts(*const_cast<git_diff_delta*>(delta)) ? 0 : 1;
}

}  // namespace

PatchOptions::PatchOptions(std::vector<std::string> paths, Filter counts)
    : paths_(std::move(paths)), counts_(std::move(counts)) {
  options_.flags |= GIT_DIFF_DISABLE_PATHSPEC_MATCH | GIT_DIFF_INDENT_HEURISTIC;
  options_.old_prefix = "a";
  options_.new_prefix = "b";
  options_.max_size = max_text_bytes;
  options_.pathspec = paths_.get();
  if (!counts_) return;
  options_.notify_cb = ask_filter;
  options_.payload = const_cast<Filter*>(&counts_);
}

std::optional<std::vector<FilePatch>> patches_of(git_repository* repository, git_diff* diff, std::size_t max_bytes) {
  // No copies: libgit2 1.5 does not mark them, so the patches could not be applied.
  git_diff_find_options similar = GIT_DIFF_FIND_OPTIONS_INIT;
  similar.flags = GIT_DIFF_FIND_RENAMES;
  if (pairing_in_diffs(repository) != Pairing::none) check(git_diff_find_similar(diff, &similar), "find renamed files");
  Patches patches{.list = {}, .max_bytes = max_bytes};
  const int code = git_diff_print(diff, GIT_DIFF_FORMAT_PATCH, append_line, &patches);
  if (!patches.is_whole) return std::nullopt;
  check(code, "print the differences");
  return std::move(patches.list);
}

std::string joined(const std::vector<FilePatch>& patches) {
  std::string whole;
  for (const auto& patch : patches) whole += patch.text;
  return whole;
}

}  // namespace git
