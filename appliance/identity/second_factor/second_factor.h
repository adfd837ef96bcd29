// A second factor for sign-in: one-time passwords of an authenticator app, passkeys, and recovery codes for when both
// are gone.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/accounts/login_limit.h"
#include "appliance/identity/second_factor/passkeys.h"
#include "appliance/identity/second_factor/records.h"
#include "web/fields.h"

namespace second_factor {

// How a user proves to have the second factor: a password of the app or a recovery code, or a passkey's assertion over
// a challenge of ours.
struct Proof {
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(Proof, (), (code, passkey))

// Callable from every thread; the arguments must outlive it.
class SecondFactor {
 public:
  // `limited` off: codes may be guessed at for ever, for benchmarks and trusted networks. For the others see Passkeys.
  SecondFactor(store::System system, const agentbox::Site& site, security::ReplayGuard& once, std::string key,
               bool limited)
      : system_(std::move(system)), passkeys_(system_, site, once, std::move(key)), limit_({}, limited) {}

  struct State {
    bool has_app = false;
    std::int64_t passkeys = 0;
    std::size_t recovery_codes = 0;  // those left
    bool is_on() const { return has_app || passkeys > 0; }
  };
  State state(store::UserId) const;
  bool is_on(store::UserId user) const { return state(user).is_on(); }
  Passkeys& passkeys() { return passkeys_; }

  // What adds a factor does so for the caller of a session. unauthenticated: it has ended.

  // The secret, in base32, of an app that is not asked for until it is confirmed. conflict: there is one in use.
  web::Task<web::Result<std::string>> begin_app(web::Caller);
  // Recovery codes, shown this once; none for who holds some already. invalid: the code is wrong, or nothing was begun.
  web::Task<web::Result<std::vector<std::string>>> confirm_app(web::Caller, std::string code);
  // not_found. The last factor takes the recovery codes with it.
  web::Task<web::Result<void>> remove_app(store::UserId);
  // conflict without a second factor. Those of before count no more.
  web::Task<web::Result<std::vector<std::string>>> renew_recovery_codes(web::Caller);

  // Success once for each of the app's passwords, each recovery code and each assertion; of several callers at once,
  // for one. unauthenticated: `required` when the proof is empty, else it is wrong, or was used; too_many: after ten
  // wrong ones within 15 minutes.
  web::Task<web::Result<void>> check(store::UserId, Proof, Purpose);
  // 401 with code SECOND_FACTOR_REQUIRED and, in `passkey`, what a browser asks the user's passkeys for; null for a
  // user without any.
  web::Error required(store::UserId, Purpose) const;
  // App, passkeys and recovery codes.
  web::Task<> remove(store::UserId);
  // The same as part of a change, for who has no SecondFactor at hand.
  static void remove(store::System, store::UserId, store::Change&);

 private:
  web::Task<web::Result<void>> judge(store::UserId, Proof, Purpose);
  web::Task<bool> spend_stored(store::UserId, std::string code);

  store::System system_;
  Passkeys passkeys_;
  accounts::LoginLimit limit_;  // by user id
};

}  // namespace second_factor
