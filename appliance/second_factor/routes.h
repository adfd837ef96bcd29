#pragma once

#include <vector>

#include "appliance/accounts/accounts.h"
#include "appliance/audit/audit.h"
#include "appliance/guards.h"
#include "appliance/second_factor/second_factor.h"
#include "appliance/site.h"
#include "web/route.h"

namespace second_factor {

// The services of the rows below; all outlive the rows.
struct Services {
  SecondFactor& factor;
  accounts::Accounts& accounts;
  audit::Audit& audit;
  const agentbox::Site& site;
  const agentbox::Guards& guards;
};

// Web: set one's second factor up, and remove it.
std::vector<web::Route> routes(Services);

}  // namespace second_factor
