// Landlock: the files that a thread may still reach (landlock(7), Linux 5.13 and later).
#pragma once

#include <filesystem>

namespace sandbox {

// The version of Landlock in the running kernel; 0: none.
int landlock_version();

// Everything is forbidden but what is allowed here. Each call throws std::system_error when the kernel refuses.
class FileRules {
 public:
  FileRules();  // needs landlock_version() >= 1
  ~FileRules();
  FileRules(const FileRules&) = delete;
  FileRules& operator=(const FileRules&) = delete;

  // The file, or everything beneath the folder. A path that does not exist is left out.
  void allow_reading(const std::filesystem::path&);
  // Reading and writing without creating anything: for devices such as /dev/null.
  void allow_reading_and_writing(const std::filesystem::path&);
  // Reading, writing, creating, renaming and removing, but not executing. Renaming from one folder to another needs
  // version 2.
  void allow_changing(const std::filesystem::path&);

  // From now on, and for good: for the calling thread and the threads it starts. Descriptors that are open stay usable.
  // Needs no_new_privs (see forbid_new_privileges) or CAP_SYS_ADMIN.
  void enforce();

 private:
  void allow(const std::filesystem::path&, unsigned long long rights);

  int descriptor_ = -1;
};

// For the calling thread and those it starts: no program that it executes gains privileges.
void forbid_new_privileges();

}  // namespace sandbox
