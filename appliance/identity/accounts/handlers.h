#pragma once

#include <boost/asio/thread_pool.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/accounts/administration.h"
#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/accounts/self_service.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace accounts {

// What the rows depend on; all of it must outlive them.
struct Services {
  Accounts& accounts;
  Sessions& sessions;
  SelfService& self_service;
  Administration& administration;
  PlanDirectory& plans;
  boost::asio::thread_pool& blocking;                                        // for reads of the whole table
  std::function<std::optional<store::Time>(const User&)> second_factor_due;  // see identity::Module
};

// The user's own account (account_handlers.cpp).

struct Register {
  web::Text<1, 254> email;
  web::Text<8, 256> password;
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 20>> referralCode;
  std::optional<web::Text<1, 100>> inviteCode;
  std::optional<std::string> website;
};
BOOST_DESCRIBE_STRUCT(Register, (), (email, password, name, referralCode, inviteCode, website))

struct Registered {
  std::string id, email, name;
};
BOOST_DESCRIBE_STRUCT(Registered, (), (id, email, name))

struct Login {
  web::Text<1, 254> email;
  web::Text<1, 256> password;
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(Login, (), (email, password, code, passkey))

struct SessionUser {
  std::string id, name, email;
  bool isAdmin = false, isSupport = false;
  std::optional<store::Time> secondFactorDue;  // for a user who has none and needs one from then on
};
BOOST_DESCRIBE_STRUCT(SessionUser, (), (id, name, email, isAdmin, isSupport, secondFactorDue))

struct SessionView {
  std::optional<SessionUser> user;
};
BOOST_DESCRIBE_STRUCT(SessionView, (), (user))

struct SignedOut {
  bool ok = true;
};
BOOST_DESCRIBE_STRUCT(SignedOut, (), (ok))

// The browser has dropped the session, but the box could not end it.
struct SignedOutHere {
  bool ok = true, sessionEnded = false;
  std::string message =
      "This browser is signed out. The session itself could not be ended, because the box cannot write just now: end "
      "it in the settings once it can.";
};
BOOST_DESCRIBE_STRUCT(SignedOutHere, (), (ok, sessionEnded, message))

struct Profile {
  std::string id, name, email;
  bool isAdmin = false, emailVerified = false;
  std::optional<std::string> plan;
  std::string referralCode;
  std::int64_t credits = 0;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(Profile, (), (id, name, email, isAdmin, emailVerified, plan, referralCode, credits, createdAt))

struct EditSettings {
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 254>> email;
  std::optional<web::Text<1, 256>> currentPassword;
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(EditSettings, (), (name, email, currentPassword, code, passkey))

struct ChangePassword {
  web::Text<1, 256> currentPassword;
  web::Text<8, 256> newPassword;
};
BOOST_DESCRIBE_STRUCT(ChangePassword, (), (currentPassword, newPassword))

web::Answer register_user(const Services&, const web::Request&, Register);
web::Answer log_in(const Services&, const web::Request&, Login);
web::Answer show_session(const Services&, const web::Request&);
web::Answer sign_out(const Services&, const web::Request&);
web::Answer show_settings(const Services&, const web::Request&);
web::Answer edit_settings(const Services&, const web::Request&, EditSettings);
web::Answer change_password(const Services&, const web::Request&, ChangePassword);
// The answer to a change that ended all other sessions: it renews the device cookie, which ended with them.
web::Response succeeded_elsewhere_signed_out(const Services&, const web::Request&);

// The user's own sessions (session_handlers.cpp).

struct SessionEntry {
  std::string id;
  store::Time createdAt, expiresAt;
  bool current = false;
  store::Time lastUsedAt;
  std::optional<std::string> browser, userAgent, address;  // at sign-in
};
BOOST_DESCRIBE_STRUCT(SessionEntry, (), (id, createdAt, expiresAt, current, lastUsedAt, browser, userAgent, address))

struct SessionList {
  std::vector<SessionEntry> sessions;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(SessionList, (), (sessions, count))

// The live sessions of a user; `current` is the id of the caller's own.
SessionList sessions_of(const Services&, store::UserId, const std::string& current);
web::Answer list_sessions(const Services&, const web::Request&);
web::Answer end_other_sessions(const Services&, const web::Request&);
web::Answer end_session(const Services&, const web::Request&);

// Administration (admin_handlers.cpp).

struct UserQuery {
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Integer<0, std::numeric_limits<std::int64_t>::max()>> after;
  std::optional<web::Text<1, 254>> search;
  std::optional<bool> admin, disabled;
};
BOOST_DESCRIBE_STRUCT(UserQuery, (), (limit, after, search, admin, disabled))

struct UserView {
  std::string id, email, name;
  bool isAdmin = false, isSupport = false, isDisabled = false, emailVerified = false, secondFactor = false;
  std::optional<store::Time> secondFactorDue;
  std::optional<std::string> plan, subscriptionId;
  std::int64_t credits = 0;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(UserView, (),
                      (id, email, name, isAdmin, isSupport, isDisabled, emailVerified, secondFactor, secondFactorDue,
                       plan, subscriptionId, credits, createdAt))

struct UserPage {
  std::vector<UserView> users;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(UserPage, (), (users, next))

struct CreateUser {
  web::Text<1, 254> email;
  std::optional<web::Text<8, 256>> password;
  std::optional<web::Text<1, 100>> name;
  std::optional<bool> isAdmin, emailVerified;
  std::optional<web::Text<1, 20>> plan;
};
BOOST_DESCRIBE_STRUCT(CreateUser, (), (email, password, name, isAdmin, emailVerified, plan))

struct EditUser {
  std::optional<web::Text<8, 256>> password;
  std::optional<bool> isAdmin, isSupport, isDisabled;
  std::optional<web::Text<1, 20>> plan;
};
BOOST_DESCRIBE_STRUCT(EditUser, (), (password, isAdmin, isSupport, isDisabled, plan))

web::Answer list_users(const Services&, const web::Request&, UserQuery);
web::Answer show_user(const Services&, const web::Request&);
web::Answer create_user(const Services&, const web::Request&, CreateUser);
web::Answer edit_user(const Services&, const web::Request&, EditUser);
web::Answer list_user_sessions(const Services&, const web::Request&);
web::Answer end_user_session(const Services&, const web::Request&);
web::Answer end_user_sessions(const Services&, const web::Request&);
web::Answer unlock(const Services&, const web::Request&);
web::Answer remove_second_factor(const Services&, const web::Request&);

// Registration, sign-in and sign-out, profile and password, the user's own sessions.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// Users, for `agentbox admin` and the console of the operator.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace accounts
