#include "store/rocks/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "store/engine.h"

namespace store {
namespace {

std::string holder(int descriptor) {
  std::array<char, 16> digits{};
  const auto size = pread(descriptor, digits.data(), digits.size(), 0);
  int process = 0;
  if (size <= 0 || std::from_chars(digits.data(), digits.data() + size, process).ec != std::errc()) return {};
  return " (process " + std::to_string(process) + ")";
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, Kind kind) {
  const auto file = folder / "agentbox.lock";
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0 && kind == Kind::shared) return;
  if (descriptor_ < 0)
    throw Unavailable("the folder " + folder.string() + " cannot be written to: " + std::strerror(errno));
  if (flock(descriptor_, (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    const auto other = holder(descriptor_);
    close(descriptor_);
    throw Unavailable("the store in " + folder.string() + " is in use by another agentbox" + other +
                      ": stop that one first, or choose another --data");
  }
  if (kind == Kind::shared) return;
  const auto process = std::to_string(getpid()) + "\n";
  // The id only improves the message: the lock holds without it.
  if (ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, process.data(), process.size(), 0) < 0) errno = 0;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace store
