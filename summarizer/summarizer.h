// `agentbox summarizer`: fetches, parses and extracts web pages in a separate process, since pages may be hostile. It
// opens no store and has no secrets.
#pragma once

#include "summarizer/options.h"

namespace summarizer {

// Serves until SIGTERM, SIGINT or the limit of processor time (an hour), lets running requests finish (10 s at most),
// and returns. Throws std::runtime_error with one sentence if it cannot listen. Confines the calling process
// permanently (confine.h) and blocks the calling thread.
void run(const Options&);

}  // namespace summarizer
