#include "appliance/accounts/login_limit.h"

namespace accounts {

bool LoginLimit::blocked(const std::string& email, Clock::time_point now) {
  if (!enabled_) return false;
  const std::scoped_lock lock(mutex_);
  const auto found = windows_.find(email);
  if (found == windows_.end()) return full(now);
  if (now - found->second.since >= rule_.window) {
    windows_.erase(found);
    return false;
  }
  return found->second.failures >= rule_.failures;
}

void LoginLimit::failed(const std::string& email, Clock::time_point now) {
  if (!enabled_) return;
  const std::scoped_lock lock(mutex_);
  auto& window = windows_.try_emplace(email, Window{.since = now}).first->second;
  if (now - window.since >= rule_.window) window = {.since = now};
  ++window.failures;
}

bool LoginLimit::full(Clock::time_point now) {
  if (windows_.size() < capacity) return false;
  std::erase_if(windows_, [&](const auto& entry) { return now - entry.second.since >= rule_.window; });
  return windows_.size() >= capacity;
}

void LoginLimit::succeeded(const std::string& email) {
  const std::scoped_lock lock(mutex_);
  windows_.erase(email);
}

}  // namespace accounts
