#include "appliance/files/explorer/git/commit.h"

#include <chrono>
#include <exception>
#include <vector>

#include "appliance/files/explorer/git/conversion.h"
#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/head.h"
#include "appliance/files/explorer/git/marks.h"
#include "appliance/files/explorer/git/repository.h"
#include "store/clock.h"

namespace git {

namespace {

// In UTC, so that no time-zone file is read.
SignatureHandle signature_of(const Identity& author) {
  const auto now = std::chrono::system_clock::to_time_t(store::precise_now());
  return made<SignatureHandle>(
      [&](auto** out) { return git_signature_new(out, author.name.c_str(), author.email.c_str(), now, 0); },
      "name the author");
}

void require_committable(git_repository* repository, git_index* index) {
  const int state = git_repository_state(repository);
  if (state != GIT_REPOSITORY_STATE_NONE && state != GIT_REPOSITORY_STATE_MERGE) {
    throw Failure("git could not commit: a rebase, cherry-pick, revert or bisect is in progress", Failure::Cause::busy);
  }
  if (git_index_has_conflicts(index)) throw Failure("git could not commit: there are unresolved conflicts");
}

// Stages all changes like git add -A. Throws Failure for a file whose conversion the box does not support.
class Staging {
 public:
  Staging(git_repository* repository, git_index* index)
      : repository_(repository), index_(index), marks_(marks_of(index)) {}

  void run() {
    const int code = git_index_add_all(index_, nullptr, GIT_INDEX_ADD_DEFAULT, check_path, this);
    if (failure_) std::rethrow_exception(failure_);
    check(code, doing);
    for (const auto& path : nested_) add_nested_repository(path);
    // libgit2 considers empty ones as staged already.
    for (const auto& path : marks_.intent_to_add) {
      if (git_index_get_bypath(index_, path.c_str(), 0)) check(git_index_add_bypath(index_, path.c_str()), doing);
    }
  }

 private:
  static constexpr auto doing = "stage the files";

  // Called by libgit2 for each path that differs. 0: stage it; positive: skip it; negative: stop.
  static int check_path(const char* path, const char*, void* payload) {
    auto& staging = *static_cast<Staging*>(payload);
    if (is_among(staging.marks_.skipped, path)) return 1;
    try {
      // libgit2 names a new folder only if it is a repository, and would stage the slash with it.
      if (const std::string_view name = path; name.ends_with('/')) {
        staging.nested_.emplace_back(name.substr(0, name.size() - 1));
        return 1;
      }
      const auto missing = missing_conversion(staging.repository_, path);
      if (!missing) return 0;
      throw Failure("git could not commit: " + std::string(path) + " goes through " + *missing +
                    ", which the box does not run: stage it with git add, or commit it with git");
    } catch (...) {
      staging.failure_ = std::current_exception();
      return GIT_EUSER;
    }
  }

  // As a link to its commit, like git.
  void add_nested_repository(const std::string& path) {
    const auto nested = open(git_repository_workdir(repository_) + path);
    const auto newest = nested ? head(nested.get()) : CommitHandle();
    if (!newest) {
      throw Failure("git could not commit: " + path +
                        " is a repository without commits: commit there first, or name it in .gitignore",
                    Failure::Cause::unsupported);
    }
    git_index_entry entry{};
    entry.path = path.c_str();
    entry.mode = GIT_FILEMODE_COMMIT;
    entry.id = *git_commit_id(newest.get());
    check(git_index_add(index_, &entry), doing);
  }

  git_repository* repository_;
  git_index* index_;
  const Marks marks_;
  std::vector<std::string> nested_;  // paths
  std::exception_ptr failure_;
};

std::vector<CommitHandle> parents_of_next(git_repository* repository) {
  std::vector<CommitHandle> parents;
  if (auto newest = head(repository)) parents.push_back(std::move(newest));
  std::vector<git_oid> merged;
  const auto collect = [](const git_oid* id, void* payload) {
    static_cast<std::vector<git_oid>*>(payload)->push_back(*id);
    return 0;
  };
  const int code = git_repository_mergehead_foreach(repository, collect, &merged);
  if (code != GIT_ENOTFOUND) check(code, "read what is being merged");
  for (const auto& id : merged) {
    parents.push_back(made<CommitHandle>([&](auto** out) { return git_commit_lookup(out, repository, &id); },
                                         "read what is being merged"));
  }
  return parents;
}

// True if the tree equals the last commit's, or is empty and there is no commit.
bool is_unchanged(const std::vector<CommitHandle>& parents, const git_oid& tree, git_index* index) {
  if (parents.empty()) return git_index_entrycount(index) == 0;
  return parents.size() == 1 && git_oid_equal(git_commit_tree_id(parents.front().get()), &tree) != 0;
}

std::string tidy(const std::string& message) {
  Buffer tidied;
  check(git_message_prettify(&tidied, message.c_str(), 0, '#'), "read the message");
  return tidied.text();
}

}  // namespace

std::optional<std::string> commit_all(git_repository* repository, const std::string& message, const Identity& author) {
  const auto index = index_of(repository);
  require_committable(repository, index.get());
  Staging(repository, index.get()).run();
  // The tree is written before the index, which then caches it, so that git need not read every entry.
  git_oid tree_id;
  check(git_index_write_tree(&tree_id, index.get()), "write the tree");
  const auto parents = parents_of_next(repository);
  if (is_unchanged(parents, tree_id, index.get())) return std::nullopt;
  check(git_index_write(index.get()), "write the index");

  const auto tree =
      made<TreeHandle>([&](auto** out) { return git_tree_lookup(out, repository, &tree_id); }, "read the tree");
  const auto signature = signature_of(author);
  check(git_repository_set_ident(repository, author.name.c_str(), author.email.c_str()), "name the author");
  std::vector<const git_commit*> parent_pointers;
  for (const auto& parent : parents) parent_pointers.push_back(parent.get());
  git_oid id;
  check(git_commit_create(&id, repository, "HEAD", signature.get(), signature.get(), nullptr, tidy(message).c_str(),
                          tree.get(), parent_pointers.size(), parent_pointers.data()),
        "commit");
  check(git_repository_state_cleanup(repository), "end the merge");
  return text_of(id);
}

}  // namespace git
