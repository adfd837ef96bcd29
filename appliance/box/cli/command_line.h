#pragma once

namespace agentbox::cli {

// Reads the command line and does what it says. Returns the exit code: 0, 1 when the work found a fault, 2 with one
// line on stderr for what the caller can mend.
int run(int argc, char** argv);

}  // namespace agentbox::cli
