// Confines libgit2, which works with paths instead of descriptors, to its folder.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <type_traits>

namespace explorer {

struct Confinement {
  std::filesystem::path folder;
  // A second folder that the work may change: the target of a push, if it is a local folder.
  std::optional<std::filesystem::path> remote;
};

// Runs `work` on its own thread with the path by which that thread reaches the folder. Returns when it has ended and
// rethrows its exceptions. The thread can open, create and remove files only under the folder and the remote, so that
// no link, worktree, alternate or include leads to another file:
// - by Landlock version 2 (Linux 5.19), if available;
// - if the box runs as root and there is no remote, also by a root directory of its own. It then accesses files as the
//   folder's owner, to whom new files belong.
// Without root and Landlock only the checks of git::open apply.
// Throws std::system_error if the thread cannot be confined.
void confine(const Confinement&, const std::function<void(const std::filesystem::path& folder)>& work);

template <class Work>
auto confined(const Confinement& confinement, Work work) {
  std::optional<std::invoke_result_t<Work, const std::filesystem::path&>> result;
  confine(confinement, [&](const std::filesystem::path& folder) { result.emplace(work(folder)); });
  return std::move(*result);
}

}  // namespace explorer
