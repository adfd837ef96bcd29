#pragma once

#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace chat {

// All of them must outlive the rows.
struct Services {
  Chat& chat;
  const agents::AgentDirectory& agents;
  const agentbox::Guards& guards;
};

// /api/chat and /api/agents/:id/messages.
std::vector<web::Route> web_routes(const Services&);
std::vector<web::Route> backend_routes(const Services&);

}  // namespace chat
