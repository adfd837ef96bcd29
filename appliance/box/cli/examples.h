// Examples under the --help of each command; the manual page has them, too.
#pragma once

#include <CLI/App.hpp>

namespace agentbox::cli {

// After all commands were added.
void add_examples(CLI::App&);

}  // namespace agentbox::cli
