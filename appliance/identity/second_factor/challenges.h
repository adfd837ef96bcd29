// The challenge that a passkey signs: valid for five minutes, one user, one purpose and one use.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/identity/security/replay_guard.h"

namespace second_factor {

inline constexpr std::chrono::minutes challenge_lifetime{5};

// What a challenge was issued for.
enum class Purpose { add, sign_in, change, reset };

// A challenge contains its time of issue and a MAC over user and purpose, so that issuing one stores nothing. 32 bytes:
// 6 of time in milliseconds, 10 random ones, 16 of the MAC. Callable from every thread.
class Challenges {
 public:
  Challenges(std::string key, security::ReplayGuard& replay_guard)
      : key_(std::move(key)), replay_guard_(replay_guard) {}

  std::string issue(Purpose, store::UserId, store::Time now) const;
  // When the challenge expires; nothing if it was not issued here for this user and purpose, or has expired.
  std::optional<store::Time> valid_until(std::string_view challenge, Purpose, store::UserId, store::Time now) const;
  // True once for a valid challenge.
  web::Task<bool> use(std::string challenge, Purpose, store::UserId, store::Time now);
  bool is_used(std::string_view challenge) const;

 private:
  std::string mac(std::string_view signed_bytes, Purpose, store::UserId) const;

  const std::string key_;
  security::ReplayGuard& replay_guard_;
};

}  // namespace second_factor
