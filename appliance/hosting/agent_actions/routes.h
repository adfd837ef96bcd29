// /api/agent: actions on an agent, selected by name, for clients that know a single address.
#pragma once

#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/identity/guards.h"

namespace agent_actions {

// What the rows depend on; all of it must outlive them.
struct Services {
  agents::Agents& agents;
  chat::Chat& chat;
  const agentbox::Guards& guards;
};

std::vector<web::Route> web_routes(const Services&);

}  // namespace agent_actions
