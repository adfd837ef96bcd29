#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// `status`, `agents`, `keys`, `usage` and `caps` of the running box. The chosen command sets `run`.
void add_overview(CLI::App& app, std::function<int()>& run);

}  // namespace agentbox::cli
