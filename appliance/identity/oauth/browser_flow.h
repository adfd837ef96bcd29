// Binds a provider's callback to the browser that started the sign-in: state, nonce and PKCE of an authorization
// request.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/identity/security/replay_guard.h"
#include "web/protocol/http.h"
#include "web/task.h"

namespace oauth {

inline constexpr std::chrono::minutes request_lifetime{10};

struct Browser {
  std::string cookie;  // the value of the flow's cookie; empty without exactly one
  bool is_secure = false;
  std::optional<std::string> invite_code = {};  // for a new user, where registration is by invitation
};

// Everything is derived from a secret in the browser's cookie, the time and the box's key. Nothing is stored until a
// state comes back, and then only that it was used. The state is 12 hex digits of time in milliseconds, 20 random ones
// and 32 of a MAC. Callable from every thread.
class BrowserFlow {
 public:
  // `name` is the cookie's.
  BrowserFlow(std::string key, std::string name, security::ReplayGuard& replay_guard)
      : key_(std::move(key)), name_(std::move(name)), replay_guard_(replay_guard) {}

  struct AuthorizationRequest {
    web::Cookie cookie;
    std::string state, nonce, code_challenge;  // the challenge is of method S256
  };
  // Concurrent requests of one browser share its cookie; each can be finished.
  AuthorizationRequest begin(const Browser&, store::Time now) const;
  const std::string& cookie_name() const { return name_; }

  struct VerifiedCallback {
    std::string nonce, code_verifier;
  };
  // Nothing if the state was not issued to this browser, has expired or was used before.
  web::Task<std::optional<VerifiedCallback>> finish(Browser, std::string state, store::Time now);

 private:
  std::string mac(std::string_view purpose, std::string_view secret, std::string_view text) const;

  const std::string key_, name_;
  security::ReplayGuard& replay_guard_;
};

}  // namespace oauth
