#include "appliance/identity/accounts/login_limit.h"

namespace accounts {

std::optional<std::chrono::seconds> LoginLimit::blocked(const std::string& email, Clock::time_point now) {
  if (!enabled_) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const auto found = windows_.find(email);
  if (found == windows_.end()) return full(now) ? std::optional(rule_.window) : std::nullopt;
  if (now - found->second.since >= rule_.window) {
    windows_.erase(found);
    return std::nullopt;
  }
  return found->second.failures >= rule_.failures ? std::optional(left(found->second, now)) : std::nullopt;
}

std::chrono::seconds LoginLimit::left(const Window& window, Clock::time_point now) const {
  return std::chrono::ceil<std::chrono::seconds>(window.since + rule_.window - now);
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

web::Error locked_for(std::chrono::seconds left, std::string message) {
  web::Error error{.kind = web::Kind::too_many, .message = std::move(message)};
  error.extra["retryAfter"] = left.count();
  return error;
}

}  // namespace accounts
