// Commands that root runs on a data folder that is another user's, as that of the Debian service: whatever they write
// there is that user's, else the box could not use it.
#pragma once

#include "appliance/foundation/data_folder.h"

namespace agentbox::cli {

// For a command that works in the data folder alone: if this process is root, it becomes the folder's owner for good,
// so that nothing in the folder can lead it elsewhere. Only while it has one thread. Throws UsageError.
void become_owner(const DataFolder&);

// For a command that needs root outside of the folder: at the end gives the folder's owner what root has made in it.
class OwnerKept {
 public:
  explicit OwnerKept(const DataFolder& folder) : folder_(folder) {}
  ~OwnerKept();  // says on standard error what failed
  OwnerKept(const OwnerKept&) = delete;
  OwnerKept& operator=(const OwnerKept&) = delete;

 private:
  const DataFolder folder_;
};

}  // namespace agentbox::cli
