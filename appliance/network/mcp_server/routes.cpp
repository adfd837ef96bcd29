#include "appliance/network/mcp_server/routes.h"

#include "appliance/network/mcp_server/handlers.h"
#include "appliance/network/mcp_server/protocol.h"

namespace mcp_server {

namespace {

const web::RateLimit mcp_rate{.group = "mcp", .limit = 300};

constexpr const char* serve_text =
    "The box as an MCP server (Streamable HTTP): protocol 2026-07-28, stateless with server/discover, and 2025-11-25, "
    "2025-06-18 and 2025-03-26 with initialize and Mcp-Session-Id. Answers are single JSON objects. An API key without "
    "`tools` of its own, and an agent's token, have the tools that only read; an agent's config can name more in "
    "`mcpTools`. Errors of a tool are results with `isError`. Every call of a tool is in the audit log.";

web::Endpoint serving(const web::Bind<Services>& on) {
  auto endpoint = web::plain(on(serve_message));
  endpoint.body = web::schema_of<RpcMessage>;
  endpoint.problem = web::schema_of<RpcResponse>;
  return std::move(endpoint).returns<RpcResponse>().describe(serve_text);
}

}  // namespace

std::vector<web::Route> routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& caller = guards.model_caller;
  return {
      {web::POST, "/mcp", caller, &mcp_rate, serving(on), "Speak the Model Context Protocol"},
      {web::DELETE, "/mcp", caller, &mcp_rate,
       web::plain(on(end_session)).describe("204; 404 unless Mcp-Session-Id names a session of the caller."),
       "End an MCP session"},
  };
}

}  // namespace mcp_server
