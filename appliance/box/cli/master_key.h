#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The command that replaces the master key of a stopped box.
void add_rotate_master_key(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
