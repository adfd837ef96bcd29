#pragma once

#include <boost/asio/thread_pool.hpp>
#include <string>
#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "store/store.h"
#include "web/route.h"

namespace maintenance {

struct Parts {
  store::Store& store;
  boost::asio::thread_pool& blocking;  // runs the copying
  std::string key_fingerprint;         // of the master key the store is open under
  audit::Audit& audit;
  const agentbox::Guards& guards;
};
// POST /api/admin/backup on the backend: what `agentbox backup` asks of the running box. What the parts refer to must
// outlive the rows.
std::vector<web::Route> routes(const Parts&);

}  // namespace maintenance
