// Settings of a repository's own configuration about how changes are shown. Values that git does not know throw
// Failure, as in git.
#pragma once

#include "appliance/files/explorer/git/status.h"

struct git_repository;

namespace git {

// Which new files are shown as renamed or copied ones. `copies` includes renames.
enum class Pairing { none, renames, copies };

// diff.renames, else renames.
Pairing pairing_in_diffs(git_repository*);
// status.renames, else as in diffs.
Pairing pairing_in_status(git_repository*);
// status.showUntrackedFiles, else by folder.
Untracked untracked_in_status(git_repository*);

}  // namespace git
