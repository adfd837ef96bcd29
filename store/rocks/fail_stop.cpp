#include "store/rocks/fail_stop.h"

namespace store {

void FailStop::stop(const std::string& cause) {
  stop_because("The store is read-only since a write failed (" + cause +
               "). Free disk space or repair the disk, then restart agentbox; run `agentbox verify` if this repeats.");
}

void FailStop::stop_damaged(const std::string& cause) {
  stop_because("The store is read-only since what it holds cannot be read (" + cause +
               "). Stop agentbox, keep a copy of its folder, see what `agentbox verify` finds, and restore the " +
               "newest backup with `agentbox restore`.");
}

std::optional<std::string> FailStop::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void FailStop::stop_because(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (reason_) return;
    reason_ = reason;
  }
  if (on_trouble_) on_trouble_(reason);
}

}  // namespace store
