#include "appliance/network/mcp_server/handlers.h"

#include "appliance/foundation/version.h"
#include "appliance/hosting/agents/new_agent.h"
#include "appliance/network/mcp_server/authorization/authorization.h"
#include "appliance/network/mcp_server/protocol.h"
#include "web/admission/csrf.h"

namespace mcp_server {

namespace {

namespace json = boost::json;

constexpr std::int64_t list_ttl_ms = 60'000;
constexpr const char* session_header = "Mcp-Session-Id";
constexpr const char* instructions =
    "Tools for the agents of one user of an agentbox: their state, conversations, memory, files and scheduled prompts, "
    "and what they cost. Begin with list_agents; other tools take an agent's id.";

json::object server_info() { return {{"name", "agentbox"}, {"title", "agentbox"}, {"version", agentbox::version}}; }

// An agent's config may name more tools in `mcpTools`, and open its owner's other agents to it by `mcpAgents`.
Allowance allowance_of_agent(const Services& services, const web::Caller& caller) {
  Allowance allowance;
  const auto agent = services.agents.find(caller.user_id, caller.agent);
  if (!agent || agents::text_member(agent->config, "mcpAgents") != "all") allowance.only_agent = caller.agent;
  const auto* named = agent ? agent->config.if_contains("mcpTools") : nullptr;
  if (!named || !named->is_array()) return allowance;
  for (const auto& one : named->get_array())
    if (one.is_string()) allowance.tools.emplace_back(one.get_string());
  return allowance;
}

Allowance allowance_of(const Services& services, const web::Caller& caller) {
  if (!caller.agent.empty()) return allowance_of_agent(services, caller);
  const auto key = services.keys.find(caller.user_id, caller.credential);
  if (!key || !key->tools) return {};
  return {.tools = *key->tools, .adds_to_reading = false};
}

ProtocolError refused(const Message& message, int status, Code code, std::string text) {
  return {.status = status, .code = code, .text = std::move(text), .id = message.id, .data = {}};
}

web::Response initialize(const Services& services, const web::Request& request, const Message& message) {
  auto response = result_response(message, {{"protocolVersion", negotiated_version(message.params)},
                                            {"capabilities", json::object{{"tools", json::object()}}},
                                            {"serverInfo", server_info()},
                                            {"instructions", instructions}});
  response.set(session_header, services.sessions.begin(request.caller, Sessions::Clock::now()));
  return response;
}

web::Response discover(const Message& message) {
  json::array versions{stateless_version};
  for (const auto one : session_versions) versions.emplace_back(json::string(one));
  return result_response(message, {{"supportedVersions", std::move(versions)},
                                   {"capabilities", json::object{{"tools", json::object()}}},
                                   {"_meta", json::object{{"io.modelcontextprotocol/serverInfo", server_info()}}},
                                   {"instructions", instructions},
                                   {"ttlMs", list_ttl_ms},
                                   {"cacheScope", "private"}});
}

web::Response list_tools(const Services& services, const web::Request& request, const Message& message) {
  json::object result{{"tools", services.tools.list(allowance_of(services, request.caller))}};
  if (message.is_stateless) {
    result["ttlMs"] = list_ttl_ms;
    result["cacheScope"] = "private";
  }
  return result_response(message, std::move(result));
}

audit::Entry entry_of(const web::Request& request, const std::string& tool) {
  auto entry = audit::of_request(request, "MCP tool called", tool);
  entry.by = request.caller.agent.empty() ? "key:" + request.caller.credential : "agent:" + request.caller.agent;
  return entry;
}

json::object result_json(ToolResult result) {
  json::object answer{
      {"content", json::array{json::object{{"type", "text"}, {"text", json::serialize(result.content)}}}},
      {"isError", result.is_error}};
  if (!result.is_error && result.content.is_object()) answer["structuredContent"] = std::move(result.content);
  return answer;
}

web::Task<web::Response> call_tool(const Services& services, const web::Request& request, const Message& message) {
  const auto* name = message.params.if_contains("name");
  if (!name || !name->is_string())
    co_return error_response(refused(message, 400, Code::invalid_params, "Invalid params: name is required"));
  json::object arguments;
  if (const auto* given = message.params.if_contains("arguments"); given && !given->is_null()) {
    if (!given->is_object())
      co_return error_response(
          refused(message, 400, Code::invalid_params, "Invalid params: arguments must be an object"));
    arguments = given->get_object();
  }
  const std::string tool(name->get_string());
  auto entry = entry_of(request, tool);
  const auto allowance = allowance_of(services, request.caller);
  // What its owner's other agents keep may be others' texts.
  if (!request.caller.agent.empty() && !allowance.only_agent)
    services.turns.taint(request.caller.agent, "what another agent keeps");
  auto result = co_await services.tools.call(tool, request, allowance, std::move(arguments));
  if (!result) entry.outcome = "no such tool for this caller";
  if (result && result->is_error) entry.outcome = "failed";
  co_await services.audit.note(std::move(entry));
  if (!result) co_return error_response(refused(message, 200, Code::invalid_params, "Unknown tool: " + tool));
  co_return result_response(message, result_json(std::move(*result)));
}

// Of a protocol with sessions: a client that names one must have begun it.
bool has_ended_session(const Services& services, const web::Request& request, const Message& message) {
  if (message.is_stateless || message.method == "initialize") return false;
  const auto id = request.header(session_header);
  return !id.empty() && !services.sessions.use(id, request.caller, Sessions::Clock::now());
}

web::Task<web::Response> answer_message(const Services& services, const web::Request& request, Parsed parsed) {
  const auto& [message, error] = parsed;
  if (error) co_return error_response(*error);
  if (has_ended_session(services, request, message))
    co_return error_response(refused(message, 404, Code::invalid_request, "Session not found"));
  if (message.id.is_null()) co_return accepted();
  if (message.method == "server/discover") co_return discover(message);
  if (message.method == "tools/list") co_return list_tools(services, request, message);
  if (message.method == "tools/call") co_return co_await call_tool(services, request, message);
  if (!message.is_stateless && message.method == "initialize") co_return initialize(services, request, message);
  if (!message.is_stateless && message.method == "ping") co_return result_response(message, {});
  co_return error_response(
      refused(message, message.is_stateless ? 404 : 200, Code::unknown_method, "Method not found"));
}

// One after the other; notifications have no answer.
web::Task<web::Response> answer_batch(const Services& services, const web::Request& request,
                                      std::vector<Parsed> batch) {
  json::array answers;
  for (auto& parsed : batch) {
    const auto response = co_await answer_message(services, request, std::move(parsed));
    const auto* text = std::get_if<std::string>(&response.body);
    if (text && !text->empty()) answers.push_back(json::parse(*text));
  }
  if (answers.empty()) co_return accepted();
  co_return web::json(answers);
}

bool is_own_or_admitted(const Services& services, const web::Request& request) {
  return web::origin_is_own(request) || web::admits(services.cross_origin, request);
}

web::Answer serve_message(const Services& services, const web::Request& request) {
  if (!is_own_or_admitted(services, request)) co_return web::forbidden("Origin not allowed");
  if (request.caller.user_id == 0) co_return web::forbidden("Agents of the box itself have no tools");
  if (auto batch = parse_batch(request)) co_return co_await answer_batch(services, request, std::move(*batch));
  auto parsed = parse_message(request);
  co_return co_await answer_message(services, request, std::move(parsed));
}

web::Answer show_resource(const Services& services, const web::Request&) {
  const ProtectedResource answer{.resource = services.site.url(path),
                                 .resource_name = "agentbox",
                                 .authorization_servers = {services.site.origin()},
                                 .scopes_supported = {mcp_authorization::reading, mcp_authorization::acting},
                                 .bearer_methods_supported = {"header"},
                                 .resource_documentation = services.site.url("/api/openapi.json")};
  co_return web::reply(answer, 200);
}

web::Answer end_session(const Services& services, const web::Request& request) {
  if (!is_own_or_admitted(services, request)) co_return web::forbidden("Origin not allowed");
  if (!services.sessions.end(request.header(session_header), request.caller))
    co_return web::not_found("Session not found");
  web::Response response;
  response.status = 204;
  response.content_type.clear();
  co_return response;
}

const web::RateLimit mcp_rate{.group = "mcp", .limit = 300};

constexpr const char* serve_text =
    "The box as an MCP server (Streamable HTTP): protocol 2026-07-28, stateless with server/discover, and 2025-11-25, "
    "2025-06-18 and 2025-03-26 with initialize and Mcp-Session-Id. Answers are single JSON objects; 2025-03-26 may "
    "send "
    "a list of at most 50 messages, and gets a list of answers. An API key without "
    "`tools` of its own, and an agent's token, have the tools that only read; an agent's config can name more in "
    "`mcpTools`. An agent reaches itself alone, unless its config says `mcpAgents: \"all\"`. Errors of a tool are "
    "results with `isError`. Every call of a tool is in the audit log.";

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
      {web::POST, path, caller, &mcp_rate, serving(on), "Speak the Model Context Protocol"},
      {web::DELETE, path, caller, &mcp_rate,
       web::plain(on(end_session)).describe("204; 404 unless Mcp-Session-Id names a session of the caller."),
       "End an MCP session"},
  };
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto rows = routes(guards, on);
  rows.push_back({web::GET, resource_path, guards.none, &mcp_rate,
                  web::plain(on(show_resource)).returns<ProtectedResource>(), "How clients of /mcp present their key"});
  return rows;
}

}  // namespace mcp_server
