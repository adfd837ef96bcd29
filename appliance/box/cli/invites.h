#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The commands for invite codes.
void add_invites(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
