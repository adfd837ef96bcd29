// Keeps libgit2, which knows paths and not descriptors, to the folder it works on.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <type_traits>

namespace explorer {

struct Confinement {
  std::filesystem::path folder;
  // A second folder that the work may change: the repository that is pushed to, where that is a folder of this machine.
  std::optional<std::filesystem::path> remote;
};

// Runs `work` with the path under which it finds the folder, and returns when it has ended; what it throws is thrown
// here. `work` runs on a thread of its own that can open, make and remove files only beneath the folder and the remote,
// so that no link, worktree, alternate or include leads to another file:
// - by Landlock, where the kernel has version 2 of it (Linux 5.19);
// - when the box runs as root and there is no remote, also by a change of the thread's root directory. Its file
//   accesses count for the folder's owner then, so that what it makes belongs to that user.
// A box that is not root, on a kernel without Landlock, relies on the checks of git::open alone.
// Throws std::system_error when the confinement cannot be arranged.
void confine(const Confinement&, const std::function<void(const std::filesystem::path& folder)>& work);

template <class Work>
auto confined(const Confinement& confinement, Work work) {
  std::optional<std::invoke_result_t<Work, const std::filesystem::path&>> result;
  confine(confinement, [&](const std::filesystem::path& folder) { result.emplace(work(folder)); });
  return std::move(*result);
}

}  // namespace explorer
