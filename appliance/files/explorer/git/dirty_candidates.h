// Paths that may have changed, found without reading files. libgit2 then compares only these, which saves most of the
// work in a repository with many files.
#pragma once

#include <optional>
#include <string>
#include <vector>

struct git_repository;

namespace git {

// Paths of files, and of folders without a slash at their end.
struct DirtyCandidates {
  std::vector<std::string> staged;   // the index may differ from the last commit
  std::vector<std::string> edited;   // the file may differ from the index
  std::vector<std::string> unknown;  // not in the index: untracked or ignored
};

// Contains every path that differs, and possibly others. nullopt if it cannot be determined, or if there are so many
// that libgit2 might as well compare everything.
std::optional<DirtyCandidates> dirty_candidates(git_repository*);

}  // namespace git
