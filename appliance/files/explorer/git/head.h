#pragma once

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/log.h"

namespace git {

// The commit that is checked out; empty when there is none yet. Throws Failure.
CommitHandle head(git_repository*);

// The index as it is on disk now, with git's treatment of sparse checkouts. Throws Failure when it cannot be read,
// where libgit2 itself would continue with the version it has read before.
IndexHandle index_of(git_repository*);

// Throws Failure.
Commit described(const git_commit*);

}  // namespace git
