// Confines the summarizer's process before it reads untrusted pages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace summarizer {

// No core dumps, no new privileges, bounds on address space, descriptors and processor time, no files but the system's
// (file_view.h), and a list of the system calls that are left: none that start programs or processes, signal or trace
// others, change files or the machine, or open sockets other than TCP and UDP, so that the box's and Docker's sockets
// are unreachable.
// With `ports`, the kernel also refuses TCP to any other port where it can (Landlock version 4), and new sockets
// altogether if there is none. The process must have its listening socket then; `listens` permits it to open one.
// Applies to the process and its future threads; call it while there is a single thread. Throws std::runtime_error if
// the kernel refuses.
void confine_process(const std::optional<std::vector<std::uint16_t>>& ports = std::nullopt, bool listens = false);

}  // namespace summarizer
