// What the summarizer's own process gives up before it reads a stranger's page.
#pragma once

namespace summarizer {

// No core dumps, no new privileges, bounds on address space, descriptors and processor time, no files but the system's
// (file_view.h), and a system-call filter that refuses to start programs or processes, signal or trace others, change
// the machine, and open sockets of any family but the internet's: none to the box's or Docker's. For the whole process
// and its threads to come, so call it while there is one. Throws std::runtime_error when the kernel refuses.
void confine_process();

}  // namespace summarizer
