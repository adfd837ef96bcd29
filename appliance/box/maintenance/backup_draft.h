// The next state of a folder with a backup, made beside the present one, which stays whole and restorable until then:
//
//   .next/    while it is made; a call that was killed is continued
//   .ready/   when it is complete, while its parts are moved into their places
//
// Whatever cuts a backup off, the folder holds a whole one: before the rename from .next to .ready the earlier one,
// from then on the new one, which finish_backup() puts into its place.
#pragma once

#include <string>

#include "appliance/foundation/data_folder.h"

namespace maintenance {

class BackupDraft {
 public:
  // Of this folder. Finishes what an earlier call has completed; tables of an earlier backup of the store are linked,
  // so that a backup of the store adds to them. Throws agentbox::UsageError and std::filesystem::filesystem_error.
  explicit BackupDraft(agentbox::DataFolder backup);

  // Where its parts are written (backup_folder.h).
  const agentbox::DataFolder& folder() const { return draft_; }
  // Files of the earlier backup, which are linked if they have not changed.
  const agentbox::DataFolder& before() const { return backup_; }

  // After all parts are written: adds the manifest and replaces the earlier backup. On disk when it returns. Throws as
  // the constructor does.
  void complete(const std::string& master_key);
  // Removes what was written, which may have filled the disk.
  void discard() noexcept;

 private:
  const agentbox::DataFolder backup_, draft_;
};

// Puts a backup that was completed, and then cut off, into its place; does nothing otherwise. To be called before a
// backup is read. Throws agentbox::UsageError if the folder cannot be written.
void finish_backup(const agentbox::DataFolder& backup);

// Whether the folder holds a whole backup.
bool is_complete_backup(const std::filesystem::path& folder);

}  // namespace maintenance
