#pragma once

#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/verification/verification.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace verification {

// What the rows depend on; all of it must outlive them.
struct Services {
  Verification& verification;
  audit::Audit& audit;
};

struct VerifyEmail {
  web::Text<1, 100> token;
};
BOOST_DESCRIBE_STRUCT(VerifyEmail, (), (token))

struct VerifiedEmail {
  bool success = true;
  std::string email;
};
BOOST_DESCRIBE_STRUCT(VerifiedEmail, (), (success, email))

// Verifying the user's own e-mail address.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace verification
