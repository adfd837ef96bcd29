#include "appliance/hosting/mcp_servers/routes.h"

#include <functional>

#include "appliance/hosting/mcp_servers/handlers.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace mcp_servers {

namespace {

constexpr auto servers =
    "The servers in the agent's config (mcpServers), with the tools that they offer to the agent, or the error of the "
    "last attempt. They are asked at most once a minute; after an error, once in ten seconds.";

constexpr auto tools =
    "Of all servers in the agent's config (mcpServers). A name is the server's, two underscores and the tool's. "
    "Servers "
    "that do not answer are left out.";

constexpr auto calls =
    "The box calls the server, with the secrets of the agent's config; public addresses only, unless the box allows "
    "private ones. isError: the tool itself failed. 404 for an unknown tool, 502 or 504 if the server fails.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/agents/:id/mcp-servers", agentbox::session_or_key(guards, key_scopes::Scope::agents_read),
       &hosting::agents_rate, web::plain(on(list_servers)).returns<ServerList>().describe(servers),
       "List an agent's MCP servers"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& token = guards.agent_token;
  return {
      {web::GET, "/api/agent-mcp/tools", token, nullptr, web::plain(on(list_tools)).returns<ToolList>().describe(tools),
       "List the tools of the calling agent's MCP servers"},
      {web::POST, "/api/agent-mcp/call", token, nullptr,
       web::body<CallRequest>(on(call_tool))
           .returns<CallAnswer>()
           .describe(calls)
           .fails({web::Kind::bad_gateway, web::Kind::timeout}),
       "Call a tool of one of the calling agent's MCP servers"},
  };
}

}  // namespace mcp_servers
