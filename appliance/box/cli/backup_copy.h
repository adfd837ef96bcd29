// What `backup` and `pack` share, and `restore` and `unpack`: a box to a backup folder, and back.
#pragma once

#include <string>

#include "appliance/box/cli/commands.h"
#include "appliance/foundation/data_folder.h"

namespace agentbox::cli {

// Through the running box if there is one. Throws UsageError.
void back_up_to(const DataFolder& copy, const Settings&, const BackupOptions&);

struct FoundKey {
  std::string key;
  bool belongs_in_file = true;  // a key from the environment is not written to the data folder
};
// Into a folder without a store. Changes nothing unless the key opens the backup. Throws UsageError.
void restore_from(const DataFolder& backup, const DataFolder& folder, const FoundKey&);

}  // namespace agentbox::cli
