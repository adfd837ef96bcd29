#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/accounts/accounts.h"
#include "appliance/audit/audit.h"
#include "appliance/billing/subscriptions.h"
#include "appliance/entrance/entrance.h"
#include "appliance/guards.h"
#include "appliance/second_factor/second_factor.h"
#include "web/route.h"

namespace accounts {

// The services of the rows below; all outlive the rows.
struct RouteServices {
  Accounts& accounts;
  Sessions& sessions;
  billing::Subscriptions& subscriptions;
  const agentbox::Guards& guards;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
  audit::Audit& audit;
  second_factor::SecondFactor& second_factor;
  entrance::Entrance& entrance;
};

// Web: register, sign in and out, the session, one's settings.
std::vector<web::Route> web_routes(RouteServices);
// Web: where one is signed in, and signing out there.
std::vector<web::Route> session_routes(RouteServices);
// Backend, behind the internal key: what `agentbox admin` and the console's operator do.
std::vector<web::Route> admin_routes(RouteServices);

}  // namespace accounts
