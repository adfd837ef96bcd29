#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The commands for the audit log.
void add_audit(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
