// `agentbox summarizer`: fetches, parses and extracts web pages in a process of its own, since what it reads is
// hostile. It opens no store and knows no secret.
#pragma once

#include "summarizer/options.h"

namespace summarizer {

// Serves until SIGTERM, SIGINT or the end of its allotted processor time (an hour), lets running requests finish (10 s
// at most), and returns. Throws std::runtime_error with one sentence when it cannot listen. Confines the calling
// process for good (confine.h) and blocks the calling thread.
void run(const Options&);

}  // namespace summarizer
