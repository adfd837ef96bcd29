#pragma once

#include <optional>
#include <string>

#include "appliance/files/explorer/git/dirty_candidates.h"

struct git_repository;

namespace git {

// `unstaged`: the index against the files, as git diff; `staged`: the last commit against the index, as git diff
// --cached.
enum class Side { unstaged, staged };

// A patch that git apply takes; empty when nothing differs. Of a file in conflict `staged` names its path alone, as git
// does, and `unstaged` compares our side with the file, as git diff --ours does. Of one file or folder, literally
// named, when `path` is given. Nothing when it would be larger than `most_bytes`. Files of more than 8 MB are shown as
// binary. `suspects` are what dirty_candidates(repository) found. Throws Failure, also in a bare repository.
std::optional<std::string> diff(git_repository*, Side, const std::string& path, std::size_t most_bytes,
                                const std::optional<DirtyCandidates>& suspects);

}  // namespace git
