// The HTTP side of SignIn, shared by the handlers of all sign-in methods.
#pragma once

#include <boost/describe.hpp>
#include <string>

#include "appliance/identity/sign_in/sign_in.h"
#include "web/protocol/http.h"

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

// Tokens only of cookies that the request carries once.
Client client_of(const web::Request&);
// The value of the device cookie; empty without exactly one.
std::string device_of(const web::Request&);

LoggedInUser view(const accounts::User&);
// The response with the cookies of the result.
web::Response with_cookies(web::Response, const SignInResult&);
// {ok, user} with the session's cookie, or the challenge with the ticket's.
web::Response reply(const SignInResult&);
// The challenge with the ticket's cookie.
web::Response challenge(const SignInResult&);

}  // namespace sign_in
