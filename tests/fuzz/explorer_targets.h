// What must hold for any path that a request names. Aborts when it does not. Run by libFuzzer (./dev fuzz) and, over
// the seeds, by every test run.
#pragma once

#include <string_view>

namespace fuzz {

// Reads, writes, moves and removes what the lines of `bytes` name (see the source), in a folder with traps of its own:
// nothing outside of it is read or changed, and nothing of git's.
void paths(std::string_view bytes);

}  // namespace fuzz
