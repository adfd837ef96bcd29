// Landlock: restricts the files that a thread can access (landlock(7), Linux 5.13 and later).
#pragma once

#include <filesystem>

namespace sandbox {

// The Landlock ABI version of the running kernel; 0: none.
int landlock_version();

// Forbids all file access except the one allowed here. Each call throws std::system_error if the kernel refuses.
class FileRules {
 public:
  FileRules();  // needs landlock_version() >= 1
  ~FileRules();
  FileRules(const FileRules&) = delete;
  FileRules& operator=(const FileRules&) = delete;

  // The file, or everything below the folder. Paths that do not exist are ignored.
  void allow_reading(const std::filesystem::path&);
  // The same, and executing it.
  void allow_executing(const std::filesystem::path&);
  // Reading and writing without creating anything: for devices such as /dev/null.
  void allow_reading_and_writing(const std::filesystem::path&);
  // Reading, writing, creating, renaming and removing, but not executing. Renaming from one folder to another needs
  // version 2.
  void allow_changing(const std::filesystem::path&);

  // Applies the rules permanently to the calling thread and the threads it starts. Open descriptors stay usable. Needs
  // no_new_privs (see forbid_new_privileges) or CAP_SYS_ADMIN.
  void enforce();

 private:
  void allow(const std::filesystem::path&, unsigned long long rights);

  int descriptor_ = -1;
};

// For the calling thread and those it starts: executed programs gain no privileges.
void forbid_new_privileges();

}  // namespace sandbox
