#pragma once

#include "appliance/explorer/git/handles.h"

namespace git {

// The newest commit; null when there is none yet. Throws Failure.
CommitHandle head(git_repository*);

}  // namespace git
