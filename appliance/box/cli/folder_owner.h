// Commands that root runs on a data folder that is another user's, as that of the Debian service: whatever they write
// there is that user's, else the box could not use it.
#pragma once

#include <functional>

#include "appliance/foundation/data_folder.h"

namespace agentbox::cli {

// For a command that works in the data folder alone: if this process is root, it becomes the folder's owner
// permanently, so that nothing in the folder can lead it elsewhere. Only while it has one thread. Throws UsageError.
void become_owner(const DataFolder&);

// Whether this process is root, and the folder another user's.
bool is_of_another_user(const DataFolder&);

// Runs `work` in a child process that becomes the folder's owner, and waits for it. Throws UsageError with what `work`
// has thrown.
void run_as_owner(const DataFolder&, const std::function<void()>& work);

// For a command that needs root outside of the folder: at the end gives the folder's owner what root has made in it.
class RestoreOwner {
 public:
  explicit RestoreOwner(const DataFolder& folder) : folder_(folder) {}
  ~RestoreOwner();  // says on standard error what failed
  RestoreOwner(const RestoreOwner&) = delete;
  RestoreOwner& operator=(const RestoreOwner&) = delete;

 private:
  const DataFolder folder_;
};

}  // namespace agentbox::cli
