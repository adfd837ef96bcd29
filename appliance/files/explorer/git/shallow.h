// Where a shallow clone ends. libgit2 1.5 does not support shallow clones and looks for objects that were never
// fetched.
#pragma once

#include <git2.h>

#include <set>
#include <string>
#include <vector>

namespace git {

class Shallow {
 public:
  // is_whole() for a full clone.
  explicit Shallow(git_repository*);

  // True for commits that git treats as having no parents.
  bool ends_at(const git_oid&) const;
  // None where the clone ends, as in git.
  std::vector<git_oid> parents_of(const git_commit*) const;
  bool is_whole() const { return ends_.empty(); }

 private:
  std::set<std::string, std::less<>> ends_;  // hashes
};

}  // namespace git
