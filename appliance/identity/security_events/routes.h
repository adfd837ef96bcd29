#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/audit/failure_counter.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/security_events/security_events.h"
#include "web/route.h"

namespace security_events {

// What the rows depend on; all of it must outlive them.
struct Services {
  SecurityEvents& events;
  audit::FailureCounter& failures;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
  const agentbox::Guards& guards;
};

// Both receivers.
std::vector<web::Route> web_routes(const Services&);
// The events received and what was done about them: for administrators on the web listener, and for the backend.
std::vector<web::Route> admin_web_routes(const Services&);
std::vector<web::Route> backend_routes(const Services&);

}  // namespace security_events
