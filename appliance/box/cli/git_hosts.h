#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// `admin git-hosts list | set | forget`: the box's accounts at git hosts. The chosen command sets `run`.
void add_git_hosts(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
