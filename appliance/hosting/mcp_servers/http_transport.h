// An MCP server over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "appliance/hosting/mcp_servers/server_config.h"
#include "appliance/hosting/mcp_servers/transport.h"

namespace mcp_servers {

// The token for a request; empty: there is none. `refused`: one that the server has refused, or empty.
using TokenSource = std::function<web::Task<std::string>(std::string refused)>;

// Of the error of a server that wants its user to sign in.
inline constexpr auto sign_in_code = "MCP_SIGN_IN";

// Answers and questions of the server on the executor of the caller; thread-safe.
std::unique_ptr<Transport> http_transport(ServerConfig, TransportLimits, web::CallOrigin, TokenSource, Notified);

}  // namespace mcp_servers
