#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/audit/audit.h"
#include "web/route.h"

namespace audit {

// The record in pages, or as JSON lines: for whom the guard lets in.
std::vector<web::Route> routes(Audit&, boost::asio::thread_pool& blocking, const web::Guard&);

}  // namespace audit
