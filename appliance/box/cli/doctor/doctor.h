#pragma once

#include <CLI/App.hpp>
#include <functional>

#include "appliance/box/build_facts.h"

namespace agentbox::cli {

// `agentbox doctor`: checks everything that a support case begins with, and says what to do. The chosen command sets
// `run`, whose exit code is 1 if there is a problem.
void add_doctor(CLI::App& app, std::function<int()>& run, const BuildFacts&);

}  // namespace agentbox::cli
