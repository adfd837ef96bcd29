// Completions for shells, and the manual page, written from the grammar of the command line.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>

#include "appliance/box/cli/grammar.h"

namespace agentbox::cli {

std::string bash_completion(const Grammar&);
std::string zsh_completion(const Grammar&);
std::string fish_completion(const Grammar&);

// `agentbox completion bash|zsh|fish`. The chosen command sets `run`. `app` must outlive the parsing.
void add_completion(CLI::App& app, std::function<int()>& run);

}  // namespace agentbox::cli
