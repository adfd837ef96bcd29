// Walks the history of a commit. For sources that use libgit2.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/shallow.h"

namespace git {

// Commits by commit time, newest first, equal ones in the order of discovery: the order of git log. Stops where a
// shallow clone ends. Reads only as far as requested.
class History {
 public:
  // `repository` must outlive it; an empty `newest` is an empty history.
  History(git_repository* repository, CommitHandle newest);

  // Empty at the end. Throws Failure.
  CommitHandle next();

 private:
  void add(CommitHandle);

  git_repository* repository_;
  const Shallow shallow_;
  std::multimap<git_time_t, CommitHandle, std::greater<>> waiting_;  // equals keep their order
  std::vector<git_oid> parents_;                                     // of the last commit returned
  std::set<std::string> seen_;                                       // hashes
};

}  // namespace git
