#pragma once

#include "appliance/hosting/agent_actions/routes.h"
#include "appliance/hosting/agents/views.h"
#include "web/routes/endpoint.h"

namespace agent_actions {

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

web::Answer query_agent(const Services&, const web::Request&, ActionQuery);
web::Answer act_on_agent(const Services&, const web::Request&, ActionRequest);

}  // namespace agent_actions
