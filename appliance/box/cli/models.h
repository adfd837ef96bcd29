#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// `admin models` lists the providers and what was found on this machine; `probe`, `use`, `remove`, `test` and `reload`
// change it. The chosen command sets `run`.
void add_models(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
