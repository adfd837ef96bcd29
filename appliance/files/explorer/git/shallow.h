// Where a shallow clone ends. libgit2 1.5 knows nothing of it and looks for what was never fetched.
#pragma once

#include <git2.h>

#include <set>
#include <string>
#include <vector>

namespace git {

class Shallow {
 public:
  // Nothing ends where the clone is a whole one.
  explicit Shallow(git_repository*);

  // For git these commits have no parents.
  bool ends_at(const git_oid&) const;
  // As git has them: none where the clone ends.
  std::vector<git_oid> parents_of(const git_commit*) const;
  bool is_whole() const { return ends_.empty(); }

 private:
  std::set<std::string, std::less<>> ends_;  // hashes
};

}  // namespace git
