// The last step of every sign-in method: the second factor if the user has one, a new session in place of the
// browser's current one, and an audit entry with the outcome.
#pragma once

#include <optional>
#include <string>

#include "appliance/access/sessions.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/known_devices.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "appliance/identity/security/replay_guard.h"
#include "appliance/identity/sign_in/ticket.h"
#include "web/result.h"
#include "web/task.h"

namespace sign_in {

// The browser that signs in; see client_of in http.h.
struct Client {
  std::string address;          // for the audit log and the list of sessions
  bool is_secure = false;       // connected over HTTPS: its cookies are for HTTPS only
  std::string session_token;    // of its current session, which the new one replaces; may be empty
  std::string ticket;           // of a sign-in that waits for the second factor; may be empty
  std::string device;           // the value of its device cookie; may be empty
  std::string user_agent = {};  // as sent, cut
};

struct SignInResult {
  accounts::User user;
  web::Cookie cookie;                   // of the session, or of the ticket if there is a challenge
  std::optional<web::Error> challenge;  // SECOND_FACTOR_REQUIRED: there is no session yet
  std::optional<web::Cookie> device;    // accounts::KnownDevices; none with a challenge
};

// Callable from every thread; the arguments must outlive it.
class SignIn {
 public:
  // `key` signs the tickets.
  SignIn(accounts::Accounts& accounts, accounts::Sessions& sessions, second_factor::SecondFactor& factor,
         audit::Audit& audit, security::ReplayGuard& replay_guard, const accounts::KnownDevices& devices,
         std::string key)
      : accounts_(accounts),
        sessions_(sessions),
        factor_(factor),
        audit_(audit),
        replay_guard_(replay_guard),
        devices_(devices),
        key_(std::move(key)) {}

  // For methods that verify one factor. `user` is the outcome of that, and `entry` was made when the request came.
  // Errors: that of `user`, and those of Sessions::start.
  web::Task<web::Result<SignInResult>> begin(Client, audit::Entry entry, web::Result<accounts::User> user);
  // The same when every factor of the user has been verified: never a challenge.
  web::Task<web::Result<SignInResult>> complete(Client, audit::Entry entry, web::Result<accounts::User> user);
  // For a client that comes back with its ticket. A wrong proof does not spend the ticket. unauthenticated: there is no
  // valid ticket. Else the errors of SecondFactor::check and Sessions::start.
  web::Task<web::Result<SignInResult>> resume(Client, second_factor::Proof);

  static web::Cookie cleared_ticket(bool is_secure);

 private:
  web::Cookie ticket_for(const accounts::User&, std::string act, bool is_secure) const;
  web::Task<web::Result<accounts::User>> verify_factor(const Ticket&, second_factor::Proof);

  accounts::Accounts& accounts_;
  accounts::Sessions& sessions_;
  second_factor::SecondFactor& factor_;
  audit::Audit& audit_;
  security::ReplayGuard& replay_guard_;
  const accounts::KnownDevices& devices_;
  const std::string key_;
};

}  // namespace sign_in
