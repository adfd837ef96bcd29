// Restricts the files that the summarizer's process can read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace summarizer {

// From now on this thread and those it starts can read only the files that a network client needs (the system's
// libraries, settings, certificates, time zones) and write only to /dev/null: not the box's data folder, not home
// folders. Open descriptors stay usable. With `ports`, TCP
// connections to others are refused, too (Landlock version 4). Uses Landlock and returns false if the kernel does not
// support it. Throws std::system_error if the kernel refuses. no_new_privs must be set before.
bool restrict_files(const std::optional<std::vector<std::uint16_t>>& ports);

}  // namespace summarizer
