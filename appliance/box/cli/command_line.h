#pragma once

#include "appliance/box/build_facts.h"

namespace agentbox::cli {

// Parses and runs the command line of a binary that was built like this. Returns the exit code: 0 for success, 1 if the
// command found a fault, 2 with one line on stderr for errors that the caller can fix.
int run(int argc, char** argv, const BuildFacts&);

}  // namespace agentbox::cli
