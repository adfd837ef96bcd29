// What every way in ends with, once it knows who comes: the second factor of who has one, a session in the place of the
// browser's own, and a line in the record that says how it ended.
#pragma once

#include <optional>
#include <string>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/sessions.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "appliance/identity/security/replay_guard.h"
#include "appliance/identity/sign_in/ticket.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace sign_in {

struct LoggedInUser {
  std::string id, name;
};
BOOST_DESCRIBE_STRUCT(LoggedInUser, (), (id, name))

struct LoggedIn {
  bool ok = true;
  LoggedInUser user;
};
BOOST_DESCRIBE_STRUCT(LoggedIn, (), (ok, user))

// How far somebody came who proved to be a user.
struct SignInResult {
  accounts::User user;
  web::Cookie cookie;                  // of the session, or of the ticket that waits for the second factor
  std::optional<web::Error> question;  // SECOND_FACTOR_REQUIRED: there is no session yet
};

// Callable from every thread; the arguments must outlive it.
class SignIn {
 public:
  // `key` is what tickets are made with.
  SignIn(accounts::Accounts& accounts, accounts::Sessions& sessions, second_factor::SecondFactor& factor,
         audit::Audit& audit, security::ReplayGuard& once, std::string key)
      : accounts_(accounts),
        sessions_(sessions),
        factor_(factor),
        audit_(audit),
        replay_guard_(once),
        key_(std::move(key)) {}

  // For a way in that proves one thing only. `entry` was made when the request came, `proved` is what came of it, its
  // refusal included. Errors of `proved` and of Sessions::start.
  web::Task<web::Result<SignInResult>> enter(const web::Request&, audit::Entry entry,
                                             web::Result<accounts::User> proved);
  // The same for who has proved everything.
  web::Task<web::Result<SignInResult>> admit(const web::Request&, audit::Entry entry,
                                             web::Result<accounts::User> proved);
  // For who comes back with a ticket. A wrong proof does not spend it. unauthenticated: no ticket that is good, or the
  // errors of SecondFactor::check.
  web::Task<web::Result<SignInResult>> finish(const web::Request&, second_factor::Proof);

  static web::Cookie cleared_ticket(bool secure);

 private:
  web::Cookie ticket_for(const accounts::User&, std::string act, bool secure) const;
  std::optional<Ticket> ticket_of(const web::Request&) const;
  web::Task<web::Result<accounts::User>> proved_by(const Ticket&, second_factor::Proof);

  accounts::Accounts& accounts_;
  accounts::Sessions& sessions_;
  second_factor::SecondFactor& factor_;
  audit::Audit& audit_;
  security::ReplayGuard& replay_guard_;
  const std::string key_;
};

// {ok, user} with the session's cookie, or the question with the ticket's.
web::Response answer(const SignInResult&);
// The question with the ticket's cookie.
web::Response ask(const SignInResult&);

}  // namespace sign_in
