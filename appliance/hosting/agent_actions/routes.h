// /api/agent: actions on an agent, selected by name, for clients that know a single address.
#pragma once

#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace agent_actions {

// What the rows depend on; all of it must outlive them.
struct Services {
  agents::Agents& agents;
  chat::Chat& chat;
};

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agent_actions
