#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>

#include "appliance/box/cli/grammar.h"

namespace agentbox::cli {

// agentbox(1) in the man macros.
std::string manual_page(const Grammar&, const std::string& version);

// `agentbox man`. The chosen command sets `run`. `app` must outlive the parsing.
void add_manual(CLI::App& app, std::function<int()>& run);

}  // namespace agentbox::cli
