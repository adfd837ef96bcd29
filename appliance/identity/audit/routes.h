#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/audit/signed_heads.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace audit {

// What the rows depend on; all of it must outlive them.
struct Services {
  Audit& audit;
  SignedHeads& heads;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

// The audit log, in pages or as JSON lines: for administrators, and for the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace audit
