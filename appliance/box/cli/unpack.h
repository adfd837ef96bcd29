#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The command that makes a data folder from the file of a pack.
void add_unpack(CLI::App&, std::function<int()>& run);

}  // namespace agentbox::cli
