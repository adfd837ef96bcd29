// What pages of other sites need to call /mcp from a user's browser, and to get its tokens.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "appliance/identity/site.h"
#include "web/admission/cross_origin.h"

namespace mcp_server {

inline constexpr auto path = "/mcp", resource_path = "/.well-known/oauth-protected-resource";

// None of them looks at cookies.
inline web::CrossOrigin cross_origin(std::vector<std::string> origins) {
  return {.origins = std::move(origins),
          .paths = {path, resource_path, "/.well-known/oauth-authorization-server", "/oauth/register", "/oauth/token"}};
}

// What a client without a valid credential gets (RFC 9728, 5.1).
inline std::string challenge(const agentbox::Site& site) {
  return "Bearer resource_metadata=\"" + site.url(resource_path) + "\"";
}

}  // namespace mcp_server
