#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/audit/failure_counter.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/security_events/security_events.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace security_events {

// What the rows depend on; all of it must outlive them.
struct Services {
  SecurityEvents& events;
  audit::FailureCounter& failures;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

// Both receivers, and for administrators the events received and what was done about them.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The events received, for the backend.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace security_events
