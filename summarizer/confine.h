// Confines the summarizer's process before it reads untrusted pages.
#pragma once

namespace summarizer {

// No core dumps, no new privileges, bounds on address space, descriptors and processor time, no files but the system's
// (file_view.h), and a list of the system calls that are left: none that start programs or processes, signal or trace
// others, change files or the machine, or open sockets other than TCP and UDP, so that the box's and Docker's sockets
// are unreachable.
// Applies to the process and its future threads; call it while there is a single thread. Throws std::runtime_error if
// the kernel refuses.
void confine_process();

}  // namespace summarizer
