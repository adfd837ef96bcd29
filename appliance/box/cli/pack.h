#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The command that carries a box in one file.
void add_pack(CLI::App&, std::function<int()>& run);

}  // namespace agentbox::cli
