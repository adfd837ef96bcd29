// /api/agent: what one does with an agent, by the name of an action, for clients that know one address only.
#pragma once

#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/identity/guards.h"

namespace agent_actions {

// The arguments must outlive the rows.
std::vector<web::Route> web_routes(agents::Agents&, chat::Chat&, const agentbox::Guards&);

}  // namespace agent_actions
