#pragma once

#include <optional>
#include <string>

#include "appliance/files/explorer/git/dirty_candidates.h"

struct git_repository;

namespace git {

// `unstaged`: the index against the files, as git diff; `staged`: the last commit against the index, as git diff
// --cached.
enum class Side { unstaged, staged };

// A patch that git apply accepts; empty when nothing differs. For a file in conflict `staged` names only its path, as
// git does, and `unstaged` compares our side with the file, as git diff --ours does. Limited to the file or folder
// `path`, taken literally, unless it is empty. nullopt if it would be larger than `max_bytes`. Files over 8 MB are
// shown as binary. `candidates` is the result of dirty_candidates(repository). Throws Failure, also in a bare
// repository.
std::optional<std::string> diff(git_repository*, Side, const std::string& path, std::size_t max_bytes,
                                const std::optional<DirtyCandidates>& candidates);

}  // namespace git
