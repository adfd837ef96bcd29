#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <vector>

#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace usage {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Ledger& ledger;
  std::function<bool(store::UserId)> is_user;
  std::function<std::vector<store::UserId>()> users;  // reads a whole table and blocks
  boost::asio::thread_pool& blocking;
};

// /api/dashboard/cost and /api/dashboard/calls: the caller's usage.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/usage/* and /api/metrics/:userId/*: the usage of any user. The latter return 404 for unknown users.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace usage
