#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "web/route.h"

namespace accounts {

// The services of the rows below; all outlive the rows.
struct RouteServices {
  Accounts& accounts;
  Sessions& sessions;
  PlanDirectory& plans;
  const agentbox::Guards& guards;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
  audit::Audit& audit;
  second_factor::SecondFactor& second_factor;
  sign_in::SignIn& sign_in;
};

// Web: register, sign in and out, the session, one's settings.
std::vector<web::Route> web_routes(RouteServices);
// Web: where one is signed in, and signing out there.
std::vector<web::Route> session_routes(RouteServices);
// Backend, behind the internal key: what `agentbox admin` and the console's operator do.
std::vector<web::Route> admin_routes(RouteServices);

}  // namespace accounts
