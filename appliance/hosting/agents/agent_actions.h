// What users do with a running agent.
#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/agents/views.h"
#include "appliance/hosting/chat/chat.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace agent_actions {

// What the rows depend on; all of it must outlive them.
struct Services {
  agents::Agents& agents;
  chat::Chat& chat;
};

using ActionName = web::Text<1, 40>;
using AgentId = web::Text<1, 128>;

struct ActionQuery {
  ActionName action;
  std::optional<AgentId> agentId;
};
BOOST_DESCRIBE_STRUCT(ActionQuery, (), (action, agentId))

struct ActionRequest {
  ActionName action;
  std::optional<AgentId> agentId;
  std::optional<web::Prose<1, 32'000>> message;
};
BOOST_DESCRIBE_STRUCT(ActionRequest, (), (action, agentId, message))

struct AgentList {
  bool success = true;
  std::string action;
  std::vector<agents::ListItem> agents;
};
BOOST_DESCRIBE_STRUCT(AgentList, (), (success, action, agents))

struct AgentAnswer {
  bool success = true;
  std::string action;
  agents::Detail agent;
};
BOOST_DESCRIBE_STRUCT(AgentAnswer, (), (success, action, agent))

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agent_actions
