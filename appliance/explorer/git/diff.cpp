#include "appliance/explorer/git/diff.h"

#include "appliance/explorer/git/handles.h"
#include "appliance/explorer/git/head.h"
#include "appliance/explorer/git/patch.h"

namespace git {

namespace {

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
  const PatchOptions options(path);
  const auto compared = compare(repository, side, options.get());
  return patch_of(compared.get(), most_bytes);
}

}  // namespace git
