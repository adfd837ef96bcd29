#include "appliance/explorer/git/diff.h"

#include <string_view>
#include <vector>

#include "appliance/explorer/git/failure.h"
#include "appliance/explorer/git/handles.h"
#include "appliance/explorer/git/head.h"
#include "appliance/explorer/git/patch.h"

namespace git {

namespace {

DiffHandle compare(git_repository* repository, Side side, git_index* index, const git_diff_options& options) {
  constexpr auto doing = "compare the files";
  if (side == Side::unstaged) {
    return made<DiffHandle>([&](auto** out) { return git_diff_index_to_workdir(out, repository, index, &options); },
                            doing);
  }
  const auto commit = head(repository);
  const auto tree =
      commit ? made<TreeHandle>([&](auto** out) { return git_commit_tree(out, commit.get()); }, doing) : TreeHandle();
  return made<DiffHandle>(
      [&](auto** out) { return git_diff_tree_to_index(out, repository, tree.get(), index, &options); }, doing);
}

constexpr int most_looks = 10;

// Somebody wrote between the look at a file's size and the look into it; libgit2 has no code for that.
bool is_of_a_file_in_motion(const Failure& failure) {
  return std::string_view(failure.what()).ends_with("file changed before we could read it");
}

bool is_within(const std::string& path, const std::string& folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

// Those of the suspects that `path` asks for.
std::vector<std::string> asked_for(const std::vector<std::string>& suspects, const std::string& path) {
  std::vector<std::string> paths;
  for (const auto& suspect : suspects) {
    if (path.empty() || is_within(suspect, path)) {
      paths.push_back(suspect);
    } else if (is_within(path, suspect)) {
      paths.push_back(path);
    }
  }
  return paths;
}

}  // namespace

std::optional<std::string> diff(git_repository* repository, Side side, const std::string& path, std::size_t most_bytes,
                                const std::optional<Suspects>& suspects) {
  if (git_repository_is_bare(repository) == 1) throw Failure("A bare repository has no files to compare");
  std::vector<std::string> paths;
  if (suspects) {
    paths = asked_for(side == Side::staged ? suspects->staged : suspects->edited, path);
    if (paths.empty()) return "";
  } else if (!path.empty()) {
    paths.push_back(path);
  }
  const auto index = index_of(repository);
  const PatchOptions options(std::move(paths));
  for (int looks = 1;; ++looks) {
    try {
      const auto compared = compare(repository, side, index.get(), options.get());
      return patch_of(compared.get(), most_bytes);
    } catch (const Failure& failure) {
      if (!is_of_a_file_in_motion(failure)) throw;
      if (looks == most_looks)
        throw Failure("A file is being written just now: please try again", Failure::Cause::busy);
    }
  }
}

}  // namespace git
