#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// Adds `admin` and its subcommands, which act on the running box. The chosen one sets `run`.
void add_admin(CLI::App& app, std::function<int()>& run);

}  // namespace agentbox::cli
