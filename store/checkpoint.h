// A second copy of a store that no process has open, in no time: files that never change are shared by hard links.
#pragma once

#include <filesystem>

namespace store {

// Makes `to`, which must not exist, a store like the one in `folder`. Durable once it returns. Throws Unavailable, also
// while a process has the store open.
void checkpoint_closed(const std::filesystem::path& folder, const std::filesystem::path& to);

}  // namespace store
