// Which agent a row is about.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <optional>
#include <string>

#include "appliance/hosting/agents/agents.h"
#include "web/fields.h"
#include "web/route.h"

namespace agents {

// What may tell the caller's agents apart beside the path, in the query or in a body.
struct Named {
  std::optional<web::Text<1, 128>> agentId;
};
BOOST_DESCRIBE_STRUCT(Named, (), (agentId))

// `named` is what the body says. not_found for an agent that does not exist or is somebody else's; invalid when path,
// query and body do not name one and the same.
using Target = std::function<web::Result<Agent>(const web::Request&, const Named& named)>;

inline web::Result<void> agrees(const Named& named, const std::string& id) {
  if (!named.agentId || *named.agentId == id) return {};
  return web::invalid("agentId names another agent than the path, or than the other agentId");
}

// Documents the agentId that every target reads in the query.
inline web::Endpoint with_agent_id(web::Endpoint endpoint) {
  endpoint.query_schema = web::schema_of<Named>;
  return endpoint;
}

// The caller's own, named by this parameter of the path: its id, or the caller's own id when there is just one, or when
// an agentId names it.
inline Target own(const Agents& service, std::string parameter) {
  return [&service, parameter = std::move(parameter)](const web::Request& request,
                                                      const Named& named) -> web::Result<Agent> {
    const auto user = request.caller.user_id;
    auto meant = request.param(parameter);
    const auto asked = web::parse_query<Named>(request);
    if (!asked) return asked.error();
    for (const auto* further : {&*asked, &named}) {
      if (meant == std::to_string(user) && further->agentId) meant = *further->agentId;
      if (const auto one = agrees(*further, meant); !one) return one.error();
    }
    return service.resolve(user, meant);
  };
}

// Anybody's, named by `:id`: for the backend.
inline Target anybodys(const Agents& service) {
  return [&service](const web::Request& request, const Named& named) -> web::Result<Agent> {
    const auto asked = web::parse_query<Named>(request);
    if (!asked) return asked.error();
    const auto& id = request.param("id");
    for (const auto* further : {&*asked, &named})
      if (const auto one = agrees(*further, id); !one) return one.error();
    auto agent = service.find(id);
    if (!agent) return web::not_found();
    return std::move(*agent);
  };
}

}  // namespace agents
