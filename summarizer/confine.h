// What the summarizer's own process gives up before it reads a stranger's page.
#pragma once

namespace summarizer {

// No core dumps, no new privileges, a bound on address space, and a system-call filter that refuses to start programs
// or processes, trace others, and change the machine. For the whole process and its threads to come, so call it while
// there is one. Throws std::runtime_error when the kernel refuses.
void confine_process();

}  // namespace summarizer
