#pragma once

#include <optional>
#include <string>

#include "appliance/identity/recovery/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace recovery {

struct ForgotPassword {
  web::Text<1, 254> email;
};
BOOST_DESCRIBE_STRUCT(ForgotPassword, (), (email))

struct ResetRequested {
  bool ok = true;
  std::string message = "If there is an account of this email, a mail with a link is on its way.";
};
BOOST_DESCRIBE_STRUCT(ResetRequested, (), (ok, message))

struct ResetPassword {
  web::Text<1, 100> token;
  web::Text<8, 256> password;
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(ResetPassword, (), (token, password, code, passkey))

web::Answer forgot_password(const Services&, const web::Request&, ForgotPassword);
web::Answer reset_password(const Services&, const web::Request&, ResetPassword);

}  // namespace recovery
