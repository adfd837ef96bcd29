// Which agent a row is about.
#pragma once

#include <functional>
#include <string>

#include "appliance/agents/agents.h"
#include "web/http.h"

namespace agents {

// not_found for one that does not exist or is somebody else's.
using Target = std::function<web::Result<Agent>(const web::Request&)>;

// The caller's own, named by this parameter of the path: its id, or the caller's own id when there is just one.
inline Target own(const Agents& service, std::string parameter) {
  return [&service, parameter = std::move(parameter)](const web::Request& request) {
    return service.resolve(request.caller.user_id, request.param(parameter));
  };
}

// Anybody's, named by `:id`: for the backend.
inline Target anybodys(const Agents& service) {
  return [&service](const web::Request& request) -> web::Result<Agent> {
    auto agent = service.find(request.param("id"));
    if (!agent) return web::not_found();
    return std::move(*agent);
  };
}

}  // namespace agents
