// The random part that a passkey signs: good for five minutes, one user, one purpose and one use.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/identity/security/replay_guard.h"

namespace second_factor {

inline constexpr std::chrono::minutes challenge_lifetime{5};

// What a challenge was handed out for; it serves nothing else.
enum class Purpose { add, sign_in, change };

// A challenge says itself when it was issued, and proves with a MAC for whom and what, so that handing one out stores
// nothing. 32 bytes: 6 of the time in milliseconds, 10 of chance, 16 of the MAC. Callable from every thread.
class Challenges {
 public:
  Challenges(std::string key, security::ReplayGuard& once) : key_(std::move(key)), replay_guard_(once) {}

  std::string issue(Purpose, store::UserId, store::Time now) const;
  // Until when it is good; nothing for one of another make, user or purpose, and one whose time is over.
  std::optional<store::Time> valid_until(std::string_view challenge, Purpose, store::UserId, store::Time now) const;
  // True once for a challenge that valid_until knows.
  web::Task<bool> use(std::string challenge, Purpose, store::UserId, store::Time now);
  bool is_used(std::string_view challenge) const;

 private:
  std::string mac(std::string_view signed_bytes, Purpose, store::UserId) const;

  const std::string key_;
  security::ReplayGuard& replay_guard_;
};

}  // namespace second_factor
