// `agentbox standby-invite`, `agentbox standby` and `agentbox promote`.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

void add_standby(CLI::App&, std::function<int()>& run);

}  // namespace agentbox::cli
