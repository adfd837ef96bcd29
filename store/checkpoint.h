// What is done with the folder of a store that no process has open.
#pragma once

#include <filesystem>

namespace store {

// Makes `to`, which must not exist, a store like the one in `folder`, in no time: files that never change are shared by
// hard links. Durable once it returns. Throws Unavailable, also while a process has the store open.
void checkpoint_closed(const std::filesystem::path& folder, const std::filesystem::path& to);

// Gives the store in `folder` another name on the same file system. Durable once it returns. Throws Unavailable, also
// while a process has the store open.
void rename_closed(const std::filesystem::path& folder, const std::filesystem::path& to);

}  // namespace store
