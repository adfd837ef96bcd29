#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/gate/handlers.h"
#include "appliance/hosting/mcp_servers/mcp_servers.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace mcp_servers {

// Must outlive the rows.
struct Services {
  McpServers& servers;
  gate::Gate& gate;
};

// Of the gate's acts that call a tool.
inline constexpr auto gate_kind = "mcp", gate_source = "a tool of an MCP server";
gate::Executor gate_executor(McpServers&, gate::TurnTracker&);

struct ToolItem {
  std::string name, description;
  boost::json::object inputSchema;
};
BOOST_DESCRIBE_STRUCT(ToolItem, (), (name, description, inputSchema))

struct ToolList {
  std::vector<ToolItem> tools;
};
BOOST_DESCRIBE_STRUCT(ToolList, (), (tools))

struct CallRequest {
  web::Text<1, 64> name;
  std::optional<boost::json::object> arguments;
};
BOOST_DESCRIBE_STRUCT(CallRequest, (), (name, arguments))

struct CallAnswer {
  std::string content;
  std::optional<boost::json::value> structured;
  bool isError;
};
BOOST_DESCRIBE_STRUCT(CallAnswer, (), (content, structured, isError))

struct ServerItem {
  std::string name, url;
  std::vector<std::string> tools;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(ServerItem, (), (name, url, tools, error))

struct ServerList {
  std::vector<ServerItem> servers;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(ServerList, (), (servers, count))

// /api/agents/:id/mcp-servers, for the owner.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-mcp, for the agent itself.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mcp_servers
