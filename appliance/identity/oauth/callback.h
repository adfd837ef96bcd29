// The way to a provider and back, as both kinds of provider share it.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <variant>

#include "appliance/identity/accounts/records.h"
#include "web/fields.h"
#include "web/http.h"

namespace oauth {

// What the browser brings back. Everything is optional: a callback is answered with a redirect whatever it holds.
struct CallbackQuery {
  std::optional<web::Text<1, 4096>> code;
  std::optional<web::Text<1, 256>> state, error;
  std::optional<web::Text<1, 1024>> iss;  // RFC 9207
};
BOOST_DESCRIBE_STRUCT(CallbackQuery, (), (code, state, error, iss))

// Of a query that does not even parse, the empty one.
CallbackQuery callback_query(const web::Request&);

struct AuthorizationRedirect {
  std::string location;
  web::Cookie cookie;
};

// Why nobody was signed in: what the login page is told, after the provider's name ("IdpAuthFailed").
enum class Failure { AuthFailed, TokenFailed, NoEmail, AuthError };
BOOST_DESCRIBE_ENUM(Failure, AuthFailed, TokenFailed, NoEmail, AuthError)
struct Refusal {
  Failure failure;
  std::string detail;  // for the log
};
using CallbackResult = std::variant<accounts::User, Refusal>;

// One provider that people sign in with by way of their browser.
class SignInProvider {
 public:
  virtual ~SignInProvider() = default;
  virtual bool is_configured() const = 0;
  // Where the browser goes, and the cookie it takes along. Only when configured.
  virtual web::Task<web::Result<AuthorizationRedirect>> begin(const web::Request&) = 0;
  // The user, or why not.
  virtual web::Task<CallbackResult> finish(const web::Request&, CallbackQuery) = 0;
};

}  // namespace oauth
