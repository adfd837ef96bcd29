#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/gate/handlers.h"
#include "appliance/hosting/mcp_servers/mcp_servers.h"
#include "appliance/hosting/mcp_servers/sign_ins.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace mcp_servers {

// Must outlive the rows.
struct Services {
  McpServers& servers;
  SignIns& sign_ins;
  gate::Gate& gate;
  audit::Audit& audit;
};

// Of the gate's acts that call a tool.
inline constexpr auto gate_kind = "mcp", gate_source = "a tool of an MCP server";
gate::Executor gate_executor(Services);
// Of the questions of a server to the owner (elicitation).
inline constexpr auto question_kind = "mcp_question";
gate::Executor question_executor(Services);

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
  std::optional<gate::Reason> why;
};
BOOST_DESCRIBE_STRUCT(CallRequest, (), (name, arguments, why))

struct CallAnswer {
  std::string content;
  std::optional<boost::json::value> structured;
  bool isError;
};
BOOST_DESCRIBE_STRUCT(CallAnswer, (), (content, structured, isError))

// How an agent's owner stands with a server that signs users in.
BOOST_DEFINE_ENUM_CLASS(SignInState, needed, done)

struct ServerItem {
  std::string name;
  std::optional<std::string> url, command;
  std::vector<std::string> tools;
  std::optional<std::string> error;
  std::optional<SignInState> signIn;
};
BOOST_DESCRIBE_STRUCT(ServerItem, (), (name, url, command, tools, error, signIn))

struct SignInAnswer {
  std::string url;
};
BOOST_DESCRIBE_STRUCT(SignInAnswer, (), (url))

struct CallbackQuery {
  std::optional<web::Text<1, 4'096>> code;
  std::optional<web::Text<1, 256>> state, error;
  std::optional<web::Text<1, 1'024>> iss;  // RFC 9207
};
BOOST_DESCRIBE_STRUCT(CallbackQuery, (), (code, state, error, iss))

struct ServerList {
  std::vector<ServerItem> servers;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(ServerList, (), (servers, count))

// Where browsers come back to after a sign-in.
inline constexpr auto callback_path = "/api/mcp-servers/callback";

// /api/agents/:id/mcp-servers, for the owner.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-mcp, for the agent itself.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mcp_servers
