#pragma once

#include <optional>
#include <string>

struct git_repository;

namespace git {

struct Identity {
  std::string name, email;
};

// Stages everything that changed and is not ignored, and commits it to the current branch (or detached HEAD), ending a
// merge whose conflicts are resolved. No hook runs. Nothing: nothing had changed; else the commit's hash. Throws
// Failure: conflicts, a rebase or the like in progress, a bare repository, one that somebody else is changing, a
// changed file that git would convert as the box cannot.
std::optional<std::string> commit_all(git_repository*, const std::string& message, const Identity& author);

}  // namespace git
