// Opens repositories. Nothing in them is executed, and only their own configuration is read. libgit2 runs neither hooks
// nor configured programs, only its built-in filters (line ends, $Id$).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

struct git_repository;

namespace git {

struct CloseRepository {
  void operator()(git_repository*) const;
};
// Not thread-safe.
using Repository = std::unique_ptr<git_repository, CloseRepository>;

// The repository whose working tree is exactly this folder and whose .git, a folder or a gitdir: file, is in it. Null
// when there is no .git, also if the folder itself is laid out like one. Throws Failure when the repository is broken,
// is bare, is owned by neither root nor the user of the calling thread's file accesses, or refers to paths outside the
// folder: by core.worktree, gitdir:, commondir, alternates, links or includes.
Repository open(const std::filesystem::path& folder);
// Throws Failure for an index that claims more entries than its size has room for (libgit2 allocates memory for as
// many), and for one without a checksum.
void require_readable_index(const std::filesystem::path& folder);
// The same, but creates a repository with the branch main if there is none.
Repository open_or_make(const std::filesystem::path& folder);

// The branch's name, also before its first commit; nullopt when HEAD is detached.
std::optional<std::string> branch_of(git_repository*);

struct Remote {
  std::string name, url;
};
// Where the current branch is pushed to: its own remote, else origin, else the only one. nullopt if there is none.
std::optional<Remote> remote_of(git_repository*);
// The URL without user and password.
std::string without_credentials(const std::string& url);

}  // namespace git
