#include "appliance/box/cli/folder_owner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <optional>
#include <system_error>

#include "appliance/files/root.h"
#include "sandbox/become_user.h"

namespace agentbox::cli {

namespace {

// The folder's, if this process is root and the owner is not.
std::optional<sandbox::Account> other_owner(const DataFolder& folder) {
  struct stat info {};
  if (::geteuid() != 0 || ::stat(folder.path().c_str(), &info) != 0 || info.st_uid == 0) return std::nullopt;
  return sandbox::Account{.user = info.st_uid, .group = info.st_gid};
}

}  // namespace

void become_owner(const DataFolder& folder) {
  const auto owner = other_owner(folder);
  if (!owner) return;
  try {
    sandbox::become_user(*owner);
  } catch (const std::system_error& error) {
    throw UsageError("cannot work as the owner of " + folder.path().string() + ": " + error.what());
  }
}

bool is_of_another_user(const DataFolder& folder) { return other_owner(folder).has_value(); }

void run_as_owner(const DataFolder& folder, const std::function<void()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw UsageError(std::string("cannot make a pipe: ") + std::strerror(errno));
  files::Descriptor reading(ends[0]), writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) throw UsageError(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    std::string failure;
    try {
      become_owner(folder);
      work();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    files::write_all(writing, failure);
    ::_exit(failure.empty() ? 0 : 1);  // what the parent had begun is the parent's to end
  }
  writing.reset();
  std::string failure;
  std::array<char, 4096> piece{};
  for (ssize_t count = 0; (count = ::read(reading.get(), piece.data(), piece.size())) != 0;) {
    if (count < 0 && errno != EINTR) break;
    if (count > 0) failure.append(piece.data(), static_cast<std::size_t>(count));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0)
    throw UsageError(failure.empty() ? "the work in " + folder.path().string() + " was cut off" : failure);
}

RestoreOwner::~RestoreOwner() {
  const auto owner = other_owner(folder_);
  if (!owner) return;
  try {
    sandbox::give_folder(folder_.path(), folder_.agents(), *owner);
  } catch (const std::system_error& error) {
    std::cerr << "agentbox: some files in " << folder_.path().string()
              << " belong to root now, and the box cannot use them: " << error.what() << '\n';
  }
}

}  // namespace agentbox::cli
