#pragma once

#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/identity/guards.h"
#include "appliance/media/broadcasts/broadcasts.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace broadcasts {

// What the rows depend on; all of it must outlive them.
struct Services {
  Broadcasts& broadcasts;
  streams::Streams& streams;
  const agents::AgentDirectory& agents;
};

// For agents.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace broadcasts
