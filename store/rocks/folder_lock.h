// Keeps a store's folder to one process.
#pragma once

#include <filesystem>

namespace store {

// Held while the object lives, and released by the kernel when the process dies. The file agentbox.lock in the folder
// holds the process id, for the message that others show.
class FolderLock {
 public:
  enum class Kind { exclusive, shared };
  // Throws Unavailable when another process holds the folder. On a read-only medium a shared lock
  // does nothing.
  FolderLock(const std::filesystem::path& folder, Kind);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace store
