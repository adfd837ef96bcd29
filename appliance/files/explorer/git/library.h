#pragma once

namespace git {

// Initializes libgit2 for the process, once; thread-safe. Throws Failure.
void start_library();

}  // namespace git
