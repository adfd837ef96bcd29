#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// `admin git-hosts list | set | forget`: the box's accounts at git hosts. A command that is given puts what it does
// into `run`.
void add_git_hosts(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
