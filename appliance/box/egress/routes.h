#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/box/egress/egress_ledger.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace egress {

struct Services {
  EgressLedger& ledger;
  boost::asio::thread_pool& blocking;  // for reads of many lines
};

// What left the box, for administrators and for the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace egress
