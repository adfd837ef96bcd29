// What may have changed, found without looking into files: libgit2 then judges these few paths instead of all, which
// spares it most of its work in a repository of many files.
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
  std::vector<std::string> unknown;  // there, and not in the index: untracked or ignored
};

// Everything that differs is among them; what is among them need not differ. Nothing when it cannot be told, or when
// they are so many that libgit2 might as well look at everything itself.
std::optional<DirtyCandidates> dirty_candidates(git_repository*);

}  // namespace git
