#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/mail/outbox.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace mail {

// What the rows depend on; all of it must outlive them.
struct Services {
  Outbox& outbox;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

// The mails of the last days, bodies included.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mail
