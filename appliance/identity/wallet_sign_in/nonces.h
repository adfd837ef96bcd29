// The nonce of a sign-in message: issued to any client, valid for ten minutes and one sign-in.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/identity/security/replay_guard.h"

namespace wallet_sign_in {

inline constexpr std::chrono::minutes nonce_lifetime{10};

// A nonce contains its time of issue and a MAC, so that issuing one stores nothing. 64 hex digits: 12 of time in
// milliseconds, 20 random ones, 32 of the MAC. Callable from every thread.
class Nonces {
 public:
  Nonces(std::string key, security::ReplayGuard& replay_guard) : key_(std::move(key)), replay_guard_(replay_guard) {}

  std::string issue(store::Time now) const;
  // When the nonce expires; nothing if it was not issued here or has expired.
  std::optional<store::Time> valid_until(std::string_view nonce, store::Time now) const;
  // True once for a valid nonce.
  web::Task<bool> use(std::string nonce, store::Time now);

 private:
  std::string mac(std::string_view text) const;

  const std::string key_;
  security::ReplayGuard& replay_guard_;
};

}  // namespace wallet_sign_in
