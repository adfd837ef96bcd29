#include "appliance/hosting/mcp_servers/handlers.h"

#include <functional>

#include "appliance/access/key_guards.h"
#include "appliance/hosting/rate_groups.h"
#include "web/log.h"

namespace mcp_servers {

namespace {

using web::Request;

web::Answer list_servers(const Services& services, const Request& request) {
  auto found = co_await services.servers.look(request.caller.user_id, request.param("id"));
  if (!found) co_return found.error();
  ServerList answer;
  for (auto& server : *found) {
    ServerItem item{.name = std::move(server.name), .url = std::move(server.url), .tools = {}, .error = {}};
    for (auto& tool : server.tools) item.tools.push_back(std::move(tool.name));
    if (!server.error.empty()) item.error = std::move(server.error);
    answer.servers.push_back(std::move(item));
  }
  answer.count = std::int64_t(answer.servers.size());
  co_return web::reply(answer, 200);
}

web::Answer list_tools(const Services& services, const Request& request) {
  auto found = co_await services.servers.look(request.caller.user_id, request.caller.agent);
  if (!found) co_return found.error();
  ToolList answer;
  for (auto& server : *found) {
    if (!server.error.empty())
      web::log::warning("mcp_server_not_used", {{"agent", request.caller.agent}, {"reason", server.error}});
    for (auto& [name, server_name, tool] : server.tools)
      answer.tools.push_back({std::move(name), std::move(tool.description), std::move(tool.input_schema)});
  }
  co_return web::reply(answer, 200);
}

CallAnswer view(ToolAnswer called) {
  return {.content = std::move(called.text), .structured = std::move(called.structured), .isError = called.is_error};
}

// A tool that only reads, as its server says, reaches nobody.
gate::Act act_of(const web::Caller& caller, const ExposedTool& tool, const boost::json::object& arguments) {
  gate::Act act{.owner = caller.user_id, .agent = caller.agent, .kind = gate_kind};
  act.effect = tool.tool.is_read_only ? gate::Effect::read : gate::Effect::outward;
  act.target = tool.name;
  act.title = "Call the tool " + tool.tool.name + " of the MCP server " + tool.server;
  act.act = {{"name", tool.name}, {"arguments", arguments}};
  return act;
}

web::Answer call_tool(const Services& services, const Request& request, CallRequest body) {
  const auto& caller = request.caller;
  auto arguments = body.arguments ? std::move(*body.arguments) : boost::json::object();
  const auto tool = co_await services.servers.find_tool(caller.user_id, caller.agent, body.name);
  if (!tool) co_return tool.error();
  auto act = act_of(caller, *tool, arguments);
  const auto verdict = co_await services.gate.check(std::move(act));
  if (auto stopped = gate::answer_to_agent(verdict)) co_return std::move(*stopped);
  auto called =
      co_await services.servers.call(caller.user_id, caller.agent, std::move(body.name), std::move(arguments));
  services.gate.turns().taint(caller.agent, gate_source);
  if (!called) co_return called.error();
  co_return web::reply(view(std::move(*called)), 200);
}

constexpr auto servers =
    "The servers in the agent's config (mcpServers), with the tools that they offer to the agent, or the error of the "
    "last attempt. They are asked at most once a minute; after an error, once in ten seconds.";

constexpr auto tools =
    "Of all servers in the agent's config (mcpServers). A name is the server's, two underscores and the tool's. "
    "Servers "
    "that do not answer are left out.";

constexpr auto calls =
    "The box calls the server, with the secrets of the agent's config; public addresses only, unless the box allows "
    "private ones. isError: the tool itself failed. 202 if the owner has to allow the call first. 404 for an unknown "
    "tool, 502 or 504 if the server fails.";

}  // namespace

gate::Executor gate_executor(McpServers& servers, gate::TurnTracker& turns) {
  gate::Executor executor;
  executor.run = [&servers, &turns](gate::Ask ask) -> web::Task<web::Result<boost::json::object>> {
    auto arguments = ask.act.at("arguments").as_object();
    std::string name(ask.act.at("name").as_string());
    auto called = co_await servers.call(ask.owner, ask.agent, std::move(name), std::move(arguments));
    turns.taint_conversation(ask.owner, ask.agent, ask.conversation, gate_source);
    if (!called) co_return called.error();
    co_return std::move(web::to_json(view(std::move(*called))).as_object());
  };
  return executor;
}

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
