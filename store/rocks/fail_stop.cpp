#include "store/rocks/fail_stop.h"

namespace store {

void FailStop::stop(const std::string& cause) {
  const auto reason = "The store is read-only since a write failed (" + cause +
                      "). Free disk space or repair the disk: it accepts changes again by itself once the disk takes " +
                      "writes and the store has been checked. Run `agentbox verify` if this repeats.";
  {
    const std::lock_guard lock(mutex_);
    ++failures_;
    if (reason_) return;
    reason_ = reason;
  }
  report(reason);
}

void FailStop::stop_damaged(const std::string& cause) {
  const auto reason =
      "The store is read-only since what it holds cannot be read (" + cause +
      "). Stop agentbox, keep a copy of its folder, see what `agentbox verify` finds, and restore the " +
      "newest backup with `agentbox restore`.";
  {
    const std::lock_guard lock(mutex_);
    if (is_damaged_) return;
    is_damaged_ = true;
    reason_ = reason;
  }
  report(reason);
}

std::optional<std::string> FailStop::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

std::optional<std::uint64_t> FailStop::failures() const {
  const std::lock_guard lock(mutex_);
  return reason_ && !is_damaged_ ? std::optional(failures_) : std::nullopt;
}

bool FailStop::recover(std::uint64_t failures) {
  const std::lock_guard lock(mutex_);
  if (is_damaged_ || failures != failures_) return false;
  reason_.reset();
  return true;
}

void FailStop::report(const std::string& reason) const {
  if (on_trouble_) on_trouble_(reason);
}

}  // namespace store
