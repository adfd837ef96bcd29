#pragma once

#include "appliance/explorer/git/handles.h"
#include "appliance/explorer/git/log.h"

namespace git {

// The commit that is checked out; empty when there is none yet. Throws Failure.
CommitHandle head(git_repository*);

// Throws Failure.
Commit described(const git_commit*);

}  // namespace git
