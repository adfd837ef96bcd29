#pragma once

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/log.h"

namespace git {

// The commit that is checked out; empty when there is none yet. Throws Failure.
CommitHandle head(git_repository*);

// The index as it is on the disk now, and as git takes it in a sparse checkout. Throws Failure when it cannot be read:
// libgit2 by itself would go on with what it has read before.
IndexHandle index_of(git_repository*);

// Throws Failure.
Commit described(const git_commit*);

}  // namespace git
