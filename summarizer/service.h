// The process `agentbox summarizer`.
#pragma once

#include "summarizer/options.h"

namespace summarizer {

// Serves until SIGTERM or SIGINT, then lets running requests finish (10 s at most) and returns 0. When it accepts, it
// prints one line to stdout: {"event":"ready","summarizer":"http://127.0.0.1:3100"}. Throws std::runtime_error with one
// sentence when it cannot start. Confines the calling process for good (confine.h); blocks the calling thread.
int serve(const Options& options);

}  // namespace summarizer
