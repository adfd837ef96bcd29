// What ties a provider's answer to the browser that asked: state, nonce and PKCE of one visit.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/identity/security/replay_guard.h"
#include "web/http.h"
#include "web/task.h"

namespace oauth {

inline constexpr std::chrono::minutes visit_lifetime{10};

// All of a visit follows from a secret in the browser's cookie, the time and the box's key: nothing is stored until a
// state comes back, and then only that it was used. The state is 12 hex digits of the time in milliseconds, 20 of
// chance and 32 of a MAC. Callable from every thread.
class BrowserFlow {
 public:
  // `name` is the cookie's.
  BrowserFlow(std::string key, std::string name, security::ReplayGuard& once)
      : key_(std::move(key)), name_(std::move(name)), replay_guard_(once) {}

  struct Begun {
    web::Cookie cookie;
    std::string state, nonce, code_challenge;  // the challenge is of method S256
  };
  // Visits begun side by side in one browser share its cookie, and each comes to its own end.
  Begun begin(const web::Request&, store::Time now) const;

  struct Returned {
    std::string nonce, code_verifier;
  };
  // Nothing when the state is another browser's or the box did not make it, is too old, or came back before.
  web::Task<std::optional<Returned>> finish(const web::Request&, std::string state, store::Time now);

 private:
  std::optional<std::string> secret_of(const web::Request&) const;
  std::string mac(std::string_view purpose, std::string_view secret, std::string_view text) const;

  const std::string key_, name_;
  security::ReplayGuard& replay_guard_;
};

}  // namespace oauth
