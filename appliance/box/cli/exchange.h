// Files that pass between the running box and a command, in the data folder: whatever view of the file system the box
// has, both see that. A service that systemd confines has a /tmp of its own and writes nowhere else.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/descriptor.h"

namespace agentbox::cli {

// A folder under maintenance::exchange_folder() that is the box's as the data folder is, removed at the end.
//
// The command may be root's and the box may be compromised: nothing is reached through links, and of what the box has
// written only regular files of the data folder's owner are taken.
class Exchange {
 public:
  // Also removes what commands that were killed have left. Throws UsageError.
  explicit Exchange(const DataFolder&);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Where the box finds or writes what is called so.
  std::filesystem::path file(const std::string& name) const { return path_ / name; }

  // Copies a file of this command for the box, and returns where it is. Throws UsageError.
  std::filesystem::path lend(const std::filesystem::path& from) const;
  // Copies what the box has written to a new file (0600), which is complete once it has its name. Throws UsageError.
  void take(const std::string& name, const std::filesystem::path& to) const;

  // What the box has written, to be read. `parent`: of a folder that was opened, else of the exchange. Throw
  // UsageError.
  files::Descriptor open_file(const std::string& name, const files::Descriptor* parent = nullptr) const;
  files::Descriptor open_folder(const std::string& name, const files::Descriptor* parent = nullptr) const;

 private:
  files::Descriptor made(const files::Descriptor& parent, const std::string& name) const;
  void give(const files::Descriptor&) const;
  void remove_leftovers() const;

  const std::string name_;
  const std::filesystem::path path_;
  uid_t owner_ = 0;
  gid_t group_ = 0;
  files::Descriptor all_, own_;  // the folder of all exchanges, and this one's, locked
};

// Makes a new file (0600) with the content of an open one; it is on disk when this returns. Throws UsageError.
void copy_durably(const files::Descriptor& from, const std::filesystem::path& to);

}  // namespace agentbox::cli
