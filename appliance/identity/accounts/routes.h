#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/accounts/administration.h"
#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/accounts/self_service.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace accounts {

// What the rows depend on; all of it must outlive them.
struct Services {
  Accounts& accounts;
  Sessions& sessions;
  SelfService& self_service;
  Administration& administration;
  PlanDirectory& plans;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

// Registration, sign-in and sign-out, profile and password, the user's own sessions.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// Users, for `agentbox admin` and the console of the operator.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace accounts
