#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// `logs AGENT [-f]`: what an agent writes. The command sets `run`.
void add_logs(CLI::App& app, std::function<int()>& run);

}  // namespace agentbox::cli
