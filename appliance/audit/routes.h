#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/audit/audit.h"
#include "appliance/guards.h"
#include "web/route.h"

namespace audit {

// Backend, behind the internal key: the record as a page, or as JSON lines.
std::vector<web::Route> admin_routes(Audit&, boost::asio::thread_pool& blocking, const agentbox::Guards&);

}  // namespace audit
