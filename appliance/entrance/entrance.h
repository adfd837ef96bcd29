// What every way in ends with, once it knows who comes: the second factor of who has one, a session in the place of the
// browser's own, and a line in the record that says how it ended.
#pragma once

#include <optional>
#include <string>

#include "appliance/accounts/accounts.h"
#include "appliance/accounts/sessions.h"
#include "appliance/audit/audit.h"
#include "appliance/entrance/ticket.h"
#include "appliance/second_factor/second_factor.h"
#include "appliance/security/once.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace entrance {

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
struct Entered {
  accounts::User user;
  web::Cookie cookie;                  // of the session, or of the ticket that waits for the second factor
  std::optional<web::Error> question;  // SECOND_FACTOR_REQUIRED: there is no session yet
};

// Callable from every thread; the arguments must outlive it.
class Entrance {
 public:
  // `key` is what tickets are made with.
  Entrance(accounts::Accounts& accounts, accounts::Sessions& sessions, second_factor::SecondFactor& factor,
           audit::Audit& audit, security::Once& once, std::string key)
      : accounts_(accounts), sessions_(sessions), factor_(factor), audit_(audit), once_(once), key_(std::move(key)) {}

  // For a way in that proves one thing only. `entry` was made when the request came, `proved` is what came of it, its
  // refusal included. Errors of `proved` and of Sessions::start.
  web::Task<web::Result<Entered>> enter(const web::Request&, audit::Entry entry, web::Result<accounts::User> proved);
  // The same for who has proved everything.
  web::Task<web::Result<Entered>> admit(const web::Request&, audit::Entry entry, web::Result<accounts::User> proved);
  // For who comes back with a ticket. A wrong proof does not spend it. unauthenticated: no ticket that is good, or the
  // errors of SecondFactor::check.
  web::Task<web::Result<Entered>> finish(const web::Request&, second_factor::Proof);

  static web::Cookie cleared_ticket(bool secure);

 private:
  web::Cookie ticket_for(const accounts::User&, std::string act, bool secure) const;
  std::optional<Ticket> ticket_of(const web::Request&) const;
  web::Task<web::Result<accounts::User>> proved_by(const Ticket&, second_factor::Proof);

  accounts::Accounts& accounts_;
  accounts::Sessions& sessions_;
  second_factor::SecondFactor& factor_;
  audit::Audit& audit_;
  security::Once& once_;
  const std::string key_;
};

// {ok, user} with the session's cookie, or the question with the ticket's.
web::Response answer(const Entered&);
// The question with the ticket's cookie.
web::Response ask(const Entered&);

}  // namespace entrance
