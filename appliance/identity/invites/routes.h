#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/invites/invites.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace invites {

// What the rows depend on; all of it must outlive them.
struct Services {
  Invites& invites;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;
};

// Making and using invite codes, on both listeners; what registration asks for, on the web; the administrator's list,
// on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace invites
