#include "appliance/files/explorer/git/restore.h"

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/head.h"

namespace git {

namespace {

// Which libgit2 knows without an object.
constexpr auto empty_tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

TreeHandle tree_of(git_repository* repository, const std::string& name) {
  git_oid id;
  if (name.empty()) {
    check(git_oid_fromstr(&id, empty_tree), "name the empty tree");
    return made<TreeHandle>([&](auto** out) { return git_tree_lookup(out, repository, &id); }, "read the empty tree");
  }
  check(git_oid_fromstr(&id, name.c_str()), "read the commit's name");
  const auto commit =
      made<CommitHandle>([&](auto** out) { return git_commit_lookup(out, repository, &id); }, "find the commit");
  return made<TreeHandle>([&](auto** out) { return git_commit_tree(out, commit.get()); }, "read the commit");
}

}  // namespace

std::optional<std::string> head_id(git_repository* repository) {
  const auto newest = head(repository);
  if (!newest) return std::nullopt;
  return text_of(*git_commit_id(newest.get()));
}

std::vector<std::string> changed_since(git_repository* repository, const std::string& commit, std::size_t limit) {
  const auto tree = tree_of(repository, commit);
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS;
  const auto diff = made<DiffHandle>(
      [&](auto** out) { return git_diff_tree_to_workdir_with_index(out, repository, tree.get(), &options); },
      "compare the files");
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()) && paths.size() < limit; ++i) {
    const auto* delta = git_diff_get_delta(diff.get(), i);
    paths.emplace_back(delta->new_file.path ? delta->new_file.path : delta->old_file.path);
  }
  return paths;
}

void restore_files(git_repository* repository, const std::string& commit) {
  const auto tree = tree_of(repository, commit);
  git_checkout_options options = GIT_CHECKOUT_OPTIONS_INIT;
  options.checkout_strategy = GIT_CHECKOUT_FORCE | GIT_CHECKOUT_RECREATE_MISSING;
  check(git_checkout_tree(repository, reinterpret_cast<const git_object*>(tree.get()), &options), "restore the files");
}

void write_files(git_repository* repository, const std::string& commit, const std::string& folder) {
  const auto tree = tree_of(repository, commit);
  git_checkout_options options = GIT_CHECKOUT_OPTIONS_INIT;
  options.checkout_strategy = GIT_CHECKOUT_FORCE | GIT_CHECKOUT_RECREATE_MISSING | GIT_CHECKOUT_DONT_UPDATE_INDEX;
  options.target_directory = folder.c_str();
  check(git_checkout_tree(repository, reinterpret_cast<const git_object*>(tree.get()), &options), "write the files");
}

}  // namespace git
