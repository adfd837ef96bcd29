#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The commands `agentbox admin agent export` and `import`.
void add_agent_transfer(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
