// Landlock: restricts the files, TCP ports and processes that a thread can reach (landlock(7), Linux 5.13 and later).
#pragma once

#include <cstdint>
#include <filesystem>

namespace sandbox {

// The Landlock ABI version of the running kernel; 0: none.
int landlock_version();
// Versions that added something that this library uses.
inline constexpr int landlock_renames = 2, landlock_tcp = 4, landlock_processes = 6;

// Forbids all file access except the one allowed here, and what `Also` says. Each call throws std::system_error if the
// kernel refuses.
class LandlockRules {
 public:
  // What is forbidden besides files, where the kernel knows it; ignored elsewhere.
  struct Also {
    bool tcp = false;        // connecting and binding, except to ports that are allowed here
    bool processes = false;  // signals and abstract sockets to processes outside
  };
  explicit LandlockRules(Also);  // needs landlock_version() >= 1
  LandlockRules() : LandlockRules(Also{}) {}
  ~LandlockRules();
  LandlockRules(const LandlockRules&) = delete;
  LandlockRules& operator=(const LandlockRules&) = delete;

  // The file, or everything below the folder. Paths that do not exist are ignored.
  void allow_reading(const std::filesystem::path&);
  // The same, and executing it.
  void allow_executing(const std::filesystem::path&);
  // Reading and writing without creating anything: for devices such as /dev/null.
  void allow_reading_and_writing(const std::filesystem::path&);
  // Reading, writing, creating, renaming and removing, but not executing. Renaming from one folder to another needs
  // landlock_renames.
  void allow_changing(const std::filesystem::path&);

  // Of any address: the kernel tells apart ports only. Ignored where it knows no TCP, or without Also::tcp.
  void allow_connecting(std::uint16_t port);
  void allow_binding(std::uint16_t port);

  // Applies the rules permanently to the calling thread and the threads it starts. Open descriptors stay usable. Needs
  // no_new_privs (see forbid_new_privileges) or CAP_SYS_ADMIN.
  void enforce();
  // For a process that may only make system calls: landlock_restrict_self and landlock_add_rule work with it.
  int descriptor() const { return descriptor_; }

 private:
  void allow(const std::filesystem::path&, unsigned long long rights);
  void allow_port(std::uint16_t port, unsigned long long right);

  const Also also_;
  int descriptor_ = -1;
};

// Of what LandlockRules::allow_reading gives, for landlock_add_rule by hand.
unsigned long long landlock_reading_rights();

// For the calling thread and those it starts: executed programs gain no privileges.
void forbid_new_privileges();

}  // namespace sandbox
