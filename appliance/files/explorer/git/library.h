#pragma once

namespace git {

// Sets up libgit2's state for the whole process, once; callable from every thread. Throws Failure.
void start_library();

}  // namespace git
