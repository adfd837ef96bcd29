// Handlers that start, stop, repair, update and reset an agent, the same on both listeners.
#pragma once

#include "appliance/hosting/agents/handlers.h"
#include "appliance/hosting/agents/target.h"
#include "appliance/hosting/agents/views.h"
#include "web/routes/endpoint.h"

namespace agents {

struct UpdateRequest : AgentQuery {
  std::optional<web::Text<1, 255>> image;
};
BOOST_DESCRIBE_STRUCT(UpdateRequest, (AgentQuery), (image))

web::Answer start_agent(const Services&, const Target&, const web::Request&, AgentQuery);
web::Answer stop_agent(const Services&, const Target&, const web::Request&, AgentQuery);
web::Answer restart_agent(const Services&, const Target&, const web::Request&, AgentQuery);
web::Answer repair_agent(const Services&, const Target&, const web::Request&, AgentQuery);
web::Answer update_agent(const Services&, const Target&, const web::Request&, UpdateRequest);
web::Answer reset_memory(const Services&, const Target&, const web::Request&, AgentQuery);

}  // namespace agents
