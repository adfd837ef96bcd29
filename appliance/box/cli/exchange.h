// Files that pass between the running box and a command, in the data folder: whatever view of the file system the box
// has, both see that. A service that systemd confines has a /tmp of its own and writes nowhere else.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "appliance/foundation/data_folder.h"

namespace agentbox::cli {

// Makes a new file with this content; it is on disk when this returns. Throws std::filesystem::filesystem_error.
void copy_durably(const std::filesystem::path& from, const std::filesystem::path& to);

// A folder beneath maintenance::exchange_folder() that is the box's as the data folder is, removed at the end.
class Exchange {
 public:
  // Throws UsageError.
  explicit Exchange(const DataFolder&);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  std::filesystem::path file(std::string_view name) const { return path_ / name; }

  // Copies a file of this command for the box, and returns where it is. Throws UsageError.
  std::filesystem::path lend(const std::filesystem::path& from) const;
  // Copies what the box has written to a new file (0600), which is complete once it has its name. Throws UsageError.
  void take(const std::filesystem::path& written, const std::filesystem::path& to) const;

 private:
  void give(const std::filesystem::path&) const;

  const std::filesystem::path path_;
  uid_t owner_ = 0;
  gid_t group_ = 0;
};

}  // namespace agentbox::cli
