#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/recovery/recovery.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace recovery {

// What the rows depend on; all of it must outlive them.
struct Services {
  Recovery& recovery;
  audit::Audit& audit;
};

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

// Requesting a password reset, and choosing the new password.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace recovery
