#pragma once

#include <cstddef>
#include <optional>
#include <string>

struct git_repository;

namespace git {

// How many commits of the branch the remote was not seen to have when it was last spoken to. Nothing when that cannot
// be told: it was not seen to have the branch at all, or the clone's history is cut between the two. Throws Failure.
std::optional<std::size_t> unpushed(git_repository*, const std::string& remote, const std::string& branch);

}  // namespace git
