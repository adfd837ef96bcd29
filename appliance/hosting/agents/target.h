// Which agent a request is about.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <optional>
#include <string>

#include "appliance/hosting/agents/directory.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace agents {

// Names one of the caller's agents, in the query or in a body, in addition to the path.
struct AgentQuery {
  std::optional<web::Text<1, 128>> agentId;
};
BOOST_DESCRIBE_STRUCT(AgentQuery, (), (agentId))

// `body` is the agentId of the body, if any. not_found for an agent that does not exist or has another owner; invalid
// if path, query and body name different agents.
using Target = std::function<web::Result<Agent>(const AgentDirectory&, const web::Request&, const AgentQuery& body)>;

// The caller's own agent, named by this parameter of the path: its id; or the caller's own id if there is exactly one
// agent or an agentId names one.
Target own_agent(std::string parameter);
// Any owner's agent, named by `:id`: for the backend.
Target any_agent();

// Documents the agentId that every target reads in the query.
inline web::Endpoint with_agent_id(web::Endpoint endpoint) {
  endpoint.query_schema = web::schema_of<AgentQuery>;
  return endpoint;
}

}  // namespace agents
