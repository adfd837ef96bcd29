// The random part of a sign-in message: handed out to anybody, good for ten minutes and one sign-in.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/identity/security/replay_guard.h"

namespace wallet_sign_in {

inline constexpr std::chrono::minutes nonce_lifetime{10};

// A nonce says itself when it was issued and proves with a MAC that it was issued here, so that handing one out stores
// nothing. 64 hex digits: 12 of the time in milliseconds, 20 of chance, 32 of the MAC. Callable from every thread.
class Nonces {
 public:
  Nonces(std::string key, security::ReplayGuard& once) : key_(std::move(key)), replay_guard_(once) {}

  std::string issue(store::Time now) const;
  // Until when it is good; nothing for one of another make and one whose time is over.
  std::optional<store::Time> valid_until(std::string_view nonce, store::Time now) const;
  // True once for a nonce that valid_until knows.
  web::Task<bool> use(std::string nonce, store::Time now);

 private:
  std::string mac(std::string_view text) const;

  const std::string key_;
  security::ReplayGuard& replay_guard_;
};

}  // namespace wallet_sign_in
