#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// The commands that carry a box in one file: pack and unpack.
void add_pack(CLI::App&, std::function<int()>& run);
void add_unpack(CLI::App&, std::function<int()>& run);

}  // namespace agentbox::cli
