// Keeps libgit2, which knows paths and not descriptors, to the folder it works on.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <type_traits>

#include "appliance/explorer/place.h"

namespace explorer {

// Runs `work` with the path under which it finds the folder, and returns when it has ended; what it throws is thrown
// here. When the box runs as root, `work` runs on a thread of its own whose file accesses count for the folder's owner,
// so that what it makes belongs to him; for a workspace, that thread also sees nothing but the folder that holds the
// workspace as its whole file system, so that no link, worktree or alternate leads to somebody else's files.
// Throws std::system_error when that cannot be arranged.
void confine(const Place&, const std::function<void(const std::filesystem::path& folder)>& work);

template <class Work>
auto confined(const Place& place, Work work) {
  std::optional<std::invoke_result_t<Work, const std::filesystem::path&>> result;
  confine(place, [&](const std::filesystem::path& folder) { result.emplace(work(folder)); });
  return std::move(*result);
}

}  // namespace explorer
