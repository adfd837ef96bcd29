#pragma once

#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace chat {

// All of them must outlive the rows.
struct Services {
  Chat& chat;
  const agents::AgentDirectory& agents;
};

// /api/chat and /api/agents/:id/messages.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace chat
