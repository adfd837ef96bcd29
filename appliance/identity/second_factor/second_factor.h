// A second factor for sign-in: one-time passwords of an authenticator app, passkeys, and recovery codes in case both
// are lost.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/accounts/login_limit.h"
#include "appliance/identity/second_factor/passkeys.h"
#include "appliance/identity/second_factor/records.h"
#include "web/routes/fields.h"

namespace second_factor {

// Proof of the second factor: a code of the app, a recovery code, or a passkey's assertion over a challenge of the box.
struct Proof {
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
  bool is_empty() const { return !code && !passkey; }
};
BOOST_DESCRIBE_STRUCT(Proof, (), (code, passkey))

// Callable from every thread; the arguments must outlive it.
class SecondFactor {
 public:
  // `is_limited` off: no limit on wrong codes, for benchmarks. For the others see Passkeys.
  SecondFactor(store::System system, const agentbox::Site& site, security::ReplayGuard& replay_guard, std::string key,
               bool is_limited)
      : system_(std::move(system)),
        passkeys_(system_, site, replay_guard, std::move(key)),
        limit_(code_rule, is_limited) {}

  // A code has six digits, so wrong ones count for the account, wherever they come from, until a right one. A
  // client that guesses at codes knows the password: the first delay raises the alarm.
  static constexpr accounts::LoginLimit::Rule code_rule{.longest = std::chrono::hours(1), .alarm = 10};

  struct State {
    bool has_app = false;
    std::int64_t passkeys = 0;
    std::size_t recovery_codes = 0;  // those left
    bool is_on() const { return has_app || passkeys > 0; }
  };
  State state(store::UserId) const;
  bool is_on(store::UserId user) const { return state(user).is_on(); }
  Passkeys& passkeys() { return passkeys_; }

  // Functions that add a factor take the caller of a session. unauthenticated: the session has ended.

  // The secret, in base32, of an app that takes effect once confirmed. conflict: an app is in use.
  web::Task<web::Result<std::string>> begin_app(web::Caller);
  // Recovery codes, shown only once; none if the user still has some. invalid: the code is wrong, or there is no app to
  // confirm.
  web::Task<web::Result<std::vector<std::string>>> confirm_app(web::Caller, std::string code);
  // Recovery codes are removed with the last factor. not_found.
  web::Task<web::Result<void>> remove_app(store::UserId);
  // Earlier codes stop working. conflict: there is no second factor.
  web::Task<web::Result<std::vector<std::string>>> renew_recovery_codes(web::Caller);

  // Succeeds once for each code of the app, each recovery code and each assertion; for one of several concurrent
  // callers. unauthenticated: `required` if the proof is empty; otherwise it is wrong or was used. too_many: ten wrong
  // ones, and each further one, are followed by a delay, which grows.
  web::Task<web::Result<void>> check(store::UserId, Proof, Purpose);
  // 401 with code SECOND_FACTOR_REQUIRED and, in `passkey`, the options for the browser; null for a user without
  // passkeys.
  web::Error required(store::UserId, Purpose) const;
  // Forgets the wrong codes.
  void unlock(store::UserId);
  // Called when there were many wrong codes. Set before anything is served.
  using OnGuesses = std::function<web::Task<>(store::UserId, unsigned failures)>;
  void report_guesses_to(OnGuesses on_guesses) { on_guesses_ = std::move(on_guesses); }
  // Removes app, passkeys and recovery codes, and forgets the wrong codes.
  web::Task<> remove(store::UserId);
  // Adds to a change: an app that was begun and not confirmed is gone. Without an instance.
  static void remove_unconfirmed(store::System, store::UserId, store::Change&);

 private:
  web::Task<web::Result<void>> verify(store::UserId, Proof, Purpose);
  web::Task<bool> spend_stored(store::UserId, std::string code);
  void remove(store::UserId, store::Change&) const;

  store::System system_;
  Passkeys passkeys_;
  accounts::LoginLimit limit_;  // by user id
  OnGuesses on_guesses_;
};

}  // namespace second_factor
