#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/guards.h"
#include "appliance/payments/statements/statement.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace payments::statements {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Sources& sources;
  const accounts::Accounts& accounts;
  boost::asio::thread_pool& blocking;
};

// /api/billing/statement: the caller's.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/statement: any user's.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace payments::statements
