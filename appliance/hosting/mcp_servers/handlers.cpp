#include "appliance/hosting/mcp_servers/handlers.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "appliance/access/key_guards.h"
#include "appliance/hosting/mcp_servers/question.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/identity/oauth/form.h"
#include "web/json.h"
#include "web/log.h"

namespace mcp_servers {

namespace {

using web::Request;

web::Answer list_servers(const Services& services, const Request& request) {
  auto found = co_await services.servers.look(request.caller.user_id, request.param("id"));
  if (!found) co_return found.error();
  ServerList answer;
  for (auto& server : *found) {
    ServerItem item{.name = std::move(server.name), .url = {}, .command = {}, .tools = {}, .error = {}};
    (server.url.empty() ? item.command : item.url) = server.url.empty() ? server.command : server.url;
    for (auto& tool : server.tools) item.tools.push_back(std::move(tool.name));
    if (!server.error.empty()) item.error = std::move(server.error);
    if (server.wants_sign_in)
      item.signIn = SignInState::needed;
    else if (services.sign_ins.has_token(request.caller.user_id, request.param("id"), server.config))
      item.signIn = SignInState::done;
    answer.servers.push_back(std::move(item));
  }
  answer.count = std::int64_t(answer.servers.size());
  co_return web::reply(answer, 200);
}

web::Answer begin_sign_in(const Services& services, const Request& request) {
  std::string agent(request.param("id"));
  auto config = services.servers.config_of(request.caller.user_id, agent, request.param("server"));
  if (!config) co_return config.error();
  if (config->is_program() || !config->token.empty())
    co_return web::conflict("This server has a token of its own, or is a program: nobody signs in there");
  auto url = co_await services.sign_ins.begin(request.caller.user_id, std::move(agent), std::move(*config));
  if (!url) co_return url.error();
  const SignInAnswer answer{.url = std::move(*url)};
  co_return web::reply(answer, 200);
}

web::Answer end_sign_in(const Services& services, const Request& request) {
  const std::string agent(request.param("id")), server(request.param("server"));
  const auto config = services.servers.config_of(request.caller.user_id, agent, server);
  if (!config) co_return config.error();
  co_await services.sign_ins.end(request.caller.user_id, agent, server);
  services.servers.refresh(agent, server);
  auto entry = audit::of_request(request, "signed out of an MCP server", agent + "/" + server);
  co_await services.audit.note(std::move(entry));
  co_return web::reply(web::Succeeded(), 200);
}

// Whatever it holds, the browser goes on to the agent's page, which says what came of it.
web::Answer finish_sign_in(const Services& services, const Request& request, CallbackQuery query) {
  const auto user = request.caller.user_id;
  Callback callback;
  if (query.state) callback.state = *query.state;
  if (query.code) callback.code = *query.code;
  if (query.iss) callback.issuer = *query.iss;
  if (query.error) callback.error = *query.error;
  const auto id = services.sign_ins.id_of(user, callback.state);
  const auto agent = id.substr(0, id.find('/')), server = id.substr(std::min(id.size(), agent.size() + 1));
  const auto done = co_await services.sign_ins.finish(user, std::move(callback));
  services.servers.refresh(agent, server);
  auto entry = audit::of_request(request, "signed in at an MCP server", id);
  if (!done) entry.outcome = done.error().message;
  co_await services.audit.note(std::move(entry));
  auto place = agent.empty() ? std::string("/") : "/agents/" + agent + "/settings";
  place += done ? "?signedIn=" + oauth::encoded(server) : "?signInFailed=" + oauth::encoded(done.error().message);
  web::Response response;
  response.status = 303;
  response.set("Location", place);
  co_return response;
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

// What a call came to: an answer, or a question that is now the owner's.
struct CallState {
  ToolAnswer answer;
  std::optional<gate::Ask> ask;
};

QuestionState state_of(const std::optional<gate::Ask>& ask) {
  if (!ask || ask->state == gate::State::expired) return QuestionState::gone;
  return ask->state == gate::State::refused ? QuestionState::refused : QuestionState::open;
}

// The question as a record of the gate. It always is asked, whatever the rules say of the call: nobody else can answer.
web::Task<gate::Ask> ask_owner(Services services, CallRequested call, ExposedTool tool, McpServers::Called called,
                               std::optional<std::string> conversation) {
  const auto& params = called.answer.question->params;
  gate::Act act{.owner = call.user, .agent = call.agent, .kind = question_kind, .effect = gate::Effect::outward};
  act.target = call.tool;
  act.title = "The MCP server " + tool.server + " asks: " + web::string_member(params, "message");
  act.act = {{"server", tool.server}, {"name", call.tool}, {"message", web::string_member(params, "message")}};
  for (const char* member : {"requestedSchema", "url"})
    if (const auto* value = params.if_contains(member)) act.act[member] = *value;
  act.act["arguments"] = call.arguments;
  if (!called.waiting.empty()) act.act["waiting"] = called.waiting;
  if (!called.answer.question->retry.empty()) act.act["retry"] = called.answer.question->retry;
  auto change = services.gate.system().change();
  auto ask = services.gate.ask_in(change, std::move(act), std::move(conversation));
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::runtime_error("the question of an MCP server was not stored");
  co_await services.gate.announce(ask);
  if (!called.waiting.empty())
    services.servers.watch(called.waiting, [&gate = services.gate, owner = ask.owner, id = ask.id] {
      return state_of(gate.find(owner, id));
    });
  co_return ask;
}

web::Task<web::Result<CallState>> carry_on(Services services, CallRequested call, Resumption resumed,
                                           std::optional<std::string> conversation) {
  const auto tool = co_await services.servers.find_tool(call.user, call.agent, call.tool);
  if (!tool) co_return tool.error();
  auto called = co_await services.servers.call(call, std::move(resumed));
  if (conversation)
    services.gate.turns().taint_conversation(call.user, call.agent, *conversation, gate_source);
  else
    services.gate.turns().taint(call.agent, gate_source);
  if (!called) co_return called.error();
  CallState state;
  if (called->answer.question)
    state.ask = co_await ask_owner(services, std::move(call), *tool, std::move(*called), std::move(conversation));
  else
    state.answer = std::move(called->answer);
  co_return state;
}

web::Answer call_tool(const Services& services, const Request& request, CallRequest body) {
  const auto& caller = request.caller;
  auto arguments = body.arguments ? std::move(*body.arguments) : boost::json::object();
  const auto tool = co_await services.servers.find_tool(caller.user_id, caller.agent, body.name);
  if (!tool) co_return tool.error();
  auto act = act_of(caller, *tool, arguments);
  act.reason = body.why.value_or("");
  const auto verdict = co_await services.gate.check(std::move(act));
  if (auto stopped = gate::answer_to_agent(verdict)) co_return std::move(*stopped);
  CallRequested call{
      .user = caller.user_id, .agent = caller.agent, .tool = std::move(body.name), .arguments = std::move(arguments)};
  Resumption begun;
  std::optional<std::string> conversation;
  auto state = co_await carry_on(services, std::move(call), std::move(begun), std::move(conversation));
  if (!state) co_return state.error();
  if (state->ask) co_return web::reply(gate::waiting_answer(*state->ask), 202);
  co_return web::reply(view(std::move(state->answer)), 200);
}

// The same for an act that the owner has allowed, or a question that the owner has answered.
web::Task<web::Result<boost::json::object>> carry_out(Services services, gate::Ask ask, Resumption resumed) {
  CallRequested call{.user = ask.owner,
                     .agent = ask.agent,
                     .tool = std::string(ask.act.at("name").as_string()),
                     .arguments = ask.act.at("arguments").as_object()};
  std::optional<std::string> conversation(ask.conversation);
  auto state = co_await carry_on(services, std::move(call), std::move(resumed), std::move(conversation));
  if (!state) co_return state.error();
  if (state->ask) co_return gate::waiting_answer(*state->ask);
  co_return std::move(web::to_json(view(std::move(state->answer))).as_object());
}

constexpr auto servers =
    "The servers in the agent's config (mcpServers), by url or command, with the tools that they offer to the agent, "
    "or the error of the "
    "last attempt. They are asked at most once a minute; after an error, once in ten seconds.";

constexpr auto signing_in =
    "For servers over HTTP that sign users in (OAuth 2.1): finds their authority by its metadata, registers the box as "
    "its client unless the config has oauth.clientId, and answers the `url` to open in the browser of the session, "
    "which then comes back to the agent's page. It counts for ten minutes. 502 says what the server or its authority "
    "lack.";

constexpr auto tools =
    "Of all servers in the agent's config (mcpServers). A name is the server's, two underscores and the tool's. "
    "Servers "
    "that do not answer are left out.";

constexpr auto calls =
    "The box calls the server, with the secrets of the agent's config; public addresses only, unless the box allows "
    "private ones. isError: the tool itself failed. 202 if the owner has to allow the call first, or to answer a "
    "question "
    "of the server. 404 for an unknown "
    "tool, 502 or 504 if the server fails.";

}  // namespace

gate::Executor gate_executor(Services services) {
  gate::Executor executor;
  executor.run = [services](gate::Ask ask) { return carry_out(services, std::move(ask), {}); };
  return executor;
}

gate::Executor question_executor(Services services) {
  gate::Executor executor;
  executor.run = [services](gate::Ask ask) {
    Resumption resumed{.waiting = web::string_member(ask.act, "waiting")};
    if (const auto* retry = web::object_member(ask.act, "retry")) resumed.retry = *retry;
    resumed.reply = {{"action", "accept"}};
    if (!ask.act.contains("url")) resumed.reply["content"] = ask.content;
    return carry_out(services, std::move(ask), std::move(resumed));
  };
  executor.check_content = [](const gate::Ask& ask, const boost::json::object& content) {
    const auto* schema = web::object_member(ask.act, "requestedSchema");
    return check_content(schema ? *schema : boost::json::object(), content);
  };
  return executor;
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/agents/:id/mcp-servers", agentbox::session_or_key(guards, key_scopes::Scope::agents_read),
       &hosting::agents_rate, web::plain(on(list_servers)).returns<ServerList>().describe(servers),
       "List an agent's MCP servers"},
      {web::POST, "/api/agents/:id/mcp-servers/:server/sign-in",
       agentbox::session_or_key(guards, key_scopes::Scope::agents_write), &hosting::actions_rate,
       web::plain(on(begin_sign_in))
           .returns<SignInAnswer>()
           .describe(signing_in)
           .fails({web::Kind::bad_gateway, web::Kind::conflict}),
       "Begin to sign in at an MCP server of an agent"},
      {web::DELETE, "/api/agents/:id/mcp-servers/:server/sign-in",
       agentbox::session_or_key(guards, key_scopes::Scope::agents_write), &hosting::actions_rate,
       web::plain(on(end_sign_in))
           .returns<web::Succeeded>()
           .describe("The box forgets the tokens, and asks their "
                     "issuer to revoke them."),
       "Sign out of an MCP server of an agent"},
      {web::GET, callback_path, guards.session, &hosting::actions_rate,
       web::query<CallbackQuery>(on(finish_sign_in))
           .describe("303 to the agent's page, with signedIn or signInFailed."),
       "End a sign-in at an MCP server"},
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
