#pragma once

#include <cstddef>
#include <optional>
#include <string>

struct git_repository;

namespace git {

// The number of commits that the branch is ahead of its remote-tracking branch. nullopt if there is none, or the clone
// is too shallow to tell. Throws Failure.
std::optional<std::size_t> unpushed(git_repository*, const std::string& remote, const std::string& branch);

}  // namespace git
