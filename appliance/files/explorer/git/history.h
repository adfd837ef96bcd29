// Walking back through the commits. For the units that speak to libgit2.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/shallow.h"

namespace git {

// Commits by the time they were committed, newest first, and among equals in the order they are come upon: git log's
// order. Ends where a shallow clone ends. Looks no further than it is asked for.
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
  std::vector<git_oid> parents_;                                     // of the one that was given out last
  std::set<std::string> seen_;                                       // hashes
};

}  // namespace git
