#pragma once

#include <optional>
#include <string>

struct git_repository;

namespace git {

struct Identity {
  std::string name, email;
};

// Stages all changes that are not ignored and commits them to the current branch (or detached HEAD); completes a merge
// whose conflicts are resolved. Hooks do not run. Returns the commit's hash; nullopt if nothing has changed. Throws
// Failure for conflicts, a rebase or the like in progress, a bare repository, one that another process is changing, and
// a changed file that needs a conversion the box does not support.
std::optional<std::string> commit_all(git_repository*, const std::string& message, const Identity& author);

}  // namespace git
