#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The command that sets a box up: it asks on a terminal, and takes everything by flags elsewhere.
void add_setup(CLI::App&, std::function<int()>& run);

}  // namespace agentbox::cli
