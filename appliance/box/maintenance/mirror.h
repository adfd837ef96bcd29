// Copies folders while other programs may write in them.
#pragma once

#include <cstddef>
#include <filesystem>

namespace maintenance {

// Makes `to` a copy of `from`: unchanged files (by size and time) are not copied again, removed ones are removed.
// `from` may be hostile: links are copied and never followed, pipes are never opened, long paths do not fail and sparse
// files do not fill the disk. Pipes, sockets, devices, entries that vanish or change their type meanwhile, and folders
// nested more than 200 deep are left out. Returns the number of such folders. Throws std::filesystem::filesystem_error.
std::size_t mirror(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace maintenance
