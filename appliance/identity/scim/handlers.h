#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/scim/provisioning.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace scim {

// What the rows depend on; all of it must outlive them.
struct Services {
  Provisioning& provisioning;
  boost::asio::thread_pool& blocking;
};

// /scim/v2.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace scim
