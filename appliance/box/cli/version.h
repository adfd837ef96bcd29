#pragma once

#include <CLI/App.hpp>
#include <functional>

#include "appliance/box/build_facts.h"

namespace agentbox::cli {

// `agentbox version`: the version and how the binary was built. The chosen command sets `run`.
void add_version(CLI::App& app, std::function<int()>& run, const BuildFacts&);

// The same as JSON, for programs and support archives.
std::string version_json(const BuildFacts&);

}  // namespace agentbox::cli
