#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/mail/outbox.h"
#include "web/route.h"

namespace mail {

// Backend, behind the internal key: the mails of the last days, bodies included.
std::vector<web::Route> admin_routes(Outbox&, boost::asio::thread_pool& blocking, const agentbox::Guards&);

}  // namespace mail
