// What `backup` and `pack` share, and `restore` and `unpack`: a box to a backup folder, and back.
#pragma once

#include <string>

#include "appliance/box/cli/commands.h"
#include "appliance/foundation/data_folder.h"

namespace agentbox::cli {

// Through the running box if there is one. An earlier backup there stays whole until this one is. Returns whether the
// backup has the master key: because of with_key, or since an earlier one has it. Throws UsageError.
bool back_up_to(const DataFolder& copy, const Settings&, const BackupOptions&);

struct FoundKey {
  std::string key;
  bool belongs_in_file = true;  // a key from the environment is not written to the data folder
};
// Into a folder without a store. Changes nothing unless the key opens the backup. Throws UsageError.
void restore_from(const DataFolder& backup, const DataFolder& folder, const FoundKey&);

}  // namespace agentbox::cli
