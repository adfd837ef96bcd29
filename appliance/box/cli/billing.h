// `agentbox admin invoice` and `agentbox admin credits`.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

void add_billing(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
