// The answer of every route that signs somebody in.
#pragma once

#include <string>

#include "appliance/accounts/sessions.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {

struct LoggedInUser {
  std::string id, name;
};
BOOST_DESCRIBE_STRUCT(LoggedInUser, (), (id, name))

struct LoggedIn {
  bool ok = true;
  LoggedInUser user;
};
BOOST_DESCRIBE_STRUCT(LoggedIn, (), (ok, user))

// A new session in the place of the browser's own. Errors of Sessions::start.
web::Task<web::Result<web::Cookie>> start_session(Sessions&, const web::Request&, User);
// The same, answered as {ok, user} with the cookie.
web::Task<web::Result<web::Response>> answer_signed_in(Sessions&, const web::Request&, User);

}  // namespace accounts
