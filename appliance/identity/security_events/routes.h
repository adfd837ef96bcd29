#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/audit/failure_counter.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/security_events/security_events.h"
#include "web/route.h"

namespace security_events {

// Web: both receivers and their health. The services must outlive the rows.
std::vector<web::Route> routes(SecurityEvents&, audit::FailureCounter&, const agentbox::Guards&);
// What was received and done, for whom the guard lets in.
std::vector<web::Route> admin_routes(SecurityEvents&, boost::asio::thread_pool& blocking, const web::Guard&);

}  // namespace security_events
