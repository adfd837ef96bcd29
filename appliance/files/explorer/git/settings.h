// What a repository's own configuration says about how its changes are told. Read as git reads it: a value that git
// does not know throws Failure.
#pragma once

#include "appliance/files/explorer/git/status.h"

struct git_repository;

namespace git {

// Which new files are told as what they were before: those that took another name, those that are copies, too.
enum class Pairing { none, renames, copies };

// diff.renames, else renames.
Pairing pairing_in_diffs(git_repository*);
// status.renames, else as in diffs.
Pairing pairing_in_status(git_repository*);
// status.showUntrackedFiles, else by folder.
Untracked untracked_in_status(git_repository*);

}  // namespace git
