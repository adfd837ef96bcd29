// The redirect to a sign-in provider and its callback: what all providers share.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "appliance/access/records.h"
#include "appliance/identity/oauth/browser_flow.h"
#include "web/protocol/http.h"
#include "web/routes/fields.h"

namespace oauth {

// The query of a callback. Everything is optional: whatever it holds, the answer is a redirect.
struct CallbackQuery {
  std::optional<web::Text<1, 4096>> code;
  std::optional<web::Text<1, 256>> state, error;
  std::optional<web::Text<1, 1024>> iss;  // RFC 9207
};
BOOST_DESCRIBE_STRUCT(CallbackQuery, (), (code, state, error, iss))

struct AuthorizationRedirect {
  std::string location;
  web::Cookie cookie;
};

// Why the sign-in failed: the error value of the login page, after the provider's name ("IdpAuthFailed").
enum class Failure { AuthFailed, TokenFailed, NoEmail, NoAccount, AuthError };
BOOST_DESCRIBE_ENUM(Failure, AuthFailed, TokenFailed, NoEmail, NoAccount, AuthError)
struct Refusal {
  Failure failure;
  std::string detail;  // for the log
};
using CallbackResult = std::variant<accounts::User, Refusal>;

// A provider that users sign in with by a redirect of their browser.
class SignInProvider {
 public:
  virtual ~SignInProvider() = default;
  virtual bool is_configured() const = 0;
  // The name of the cookie that binds a sign-in to its browser.
  virtual std::string_view cookie_name() const = 0;
  // Where to redirect the browser, and the cookie to set. Call only when configured.
  virtual web::Task<web::Result<AuthorizationRedirect>> begin(Browser) = 0;
  // The user, or why the sign-in failed.
  virtual web::Task<CallbackResult> finish(Browser, CallbackQuery) = 0;
};

}  // namespace oauth
