#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The commands for operator keys.
void add_operator_keys(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
