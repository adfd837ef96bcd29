#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// Adds `admin` and its subcommands: what the operator does to the running box. Each sets `run` when it is chosen.
void add_admin(CLI::App& app, std::function<int()>& run);

}  // namespace agentbox::cli
