#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/guards.h"
#include "store/store.h"
#include "web/route.h"

namespace maintenance {

// POST /api/admin/backup on the backend: what `agentbox backup` asks of the running box. The arguments must outlive the
// rows; `blocking` runs the copying.
std::vector<web::Route> routes(store::Store&, boost::asio::thread_pool& blocking, const agentbox::Guards&);

}  // namespace maintenance
