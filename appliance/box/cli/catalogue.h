#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The command `agentbox catalogue update`.
void add_catalogue(CLI::App&, std::function<int()>& run);

}  // namespace agentbox::cli
