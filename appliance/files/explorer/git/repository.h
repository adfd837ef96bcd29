// Opening repositories: nothing in them is run, and no configuration but their own is read. Neither hooks nor any
// configured program exists for libgit2 but the filters it brings itself (line ends, $Id$).
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
// One thread at a time.
using Repository = std::unique_ptr<git_repository, CloseRepository>;

// The repository whose working tree is exactly this folder and whose .git, a folder or a gitdir: file, is in it. Null
// when there is no .git, also where the folder itself is laid out like one. Throws Failure when the repository is
// broken, is bare, belongs to another user than the one whom the calling thread's file accesses count for (or root), or
// reaches out of the folder: by core.worktree, gitdir:, commondir, alternates, links or includes.
Repository open(const std::filesystem::path& folder);
// The same, but a folder that is no repository becomes one whose first branch is main.
Repository open_or_make(const std::filesystem::path& folder);

// The branch's name, also of one that has no commit yet; nothing when HEAD is detached.
std::optional<std::string> branch_of(git_repository*);

struct Remote {
  std::string name, url;
};
// Where the current branch is pushed to: its own remote, else origin, else the only one. Nothing: there is none.
std::optional<Remote> remote_of(git_repository*);
// The URL without the user and password that may be in it.
std::string without_credentials(const std::string& url);

}  // namespace git
