// `agentbox admin channels`: the messaging channels of all agents, and which kinds are allowed.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

void add_channels(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
