#include "appliance/explorer/git/diff.h"

#include "appliance/explorer/git/handles.h"
#include "appliance/explorer/git/head.h"

namespace git {

namespace {

constexpr git_off_t most_text_bytes = 8 << 20;

struct Patch {
  std::string text;
  std::size_t most_bytes;
  bool is_whole = true;
};

// Called by libgit2 for each line; anything but 0 ends the printing.
int append_line(const git_diff_delta*, const git_diff_hunk*, const git_diff_line* line, void* payload) {
  auto& patch = *static_cast<Patch*>(payload);
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

DiffHandle compare(git_repository* repository, Side side, const git_diff_options& options) {
  constexpr auto doing = "compare the files";
  if (side == Side::unstaged) {
    return made<DiffHandle>([&](auto** out) { return git_diff_index_to_workdir(out, repository, nullptr, &options); },
                            doing);
  }
  const auto commit = head(repository);
  const auto tree =
      commit ? made<TreeHandle>([&](auto** out) { return git_commit_tree(out, commit.get()); }, doing) : TreeHandle();
  return made<DiffHandle>(
      [&](auto** out) { return git_diff_tree_to_index(out, repository, tree.get(), nullptr, &options); }, doing);
}

}  // namespace

std::optional<std::string> diff(git_repository* repository, Side side, const std::string& path,
                                std::size_t most_bytes) {
  if (git_repository_is_bare(repository) == 1) throw Failure("A bare repository has no files to compare");
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags |= GIT_DIFF_DISABLE_PATHSPEC_MATCH | GIT_DIFF_INDENT_HEURISTIC;
  options.old_prefix = "a";
  options.new_prefix = "b";
  options.max_size = most_text_bytes;
  auto* pattern = const_cast<char*>(path.c_str());  // libgit2 copies it
  if (!path.empty()) options.pathspec = {.strings = &pattern, .count = 1};

  const auto compared = compare(repository, side, options);
  git_diff_find_options similar = GIT_DIFF_FIND_OPTIONS_INIT;
  similar.flags = GIT_DIFF_FIND_RENAMES;
  check(git_diff_find_similar(compared.get(), &similar), "find renamed files");
  Patch patch{.text = {}, .most_bytes = most_bytes};
  const int code = git_diff_print(compared.get(), GIT_DIFF_FORMAT_PATCH, append_line, &patch);
  if (!patch.is_whole) return std::nullopt;
  check(code, "print the differences");
  return std::move(patch.text);
}

}  // namespace git
