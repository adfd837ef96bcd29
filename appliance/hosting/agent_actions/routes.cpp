#include "appliance/hosting/agent_actions/routes.h"

#include <algorithm>

#include "appliance/hosting/agents/routes/views.h"
#include "appliance/hosting/chat/views.h"
#include "web/endpoint.h"

namespace agent_actions {

namespace {

using agents::Agent;
using agents::Agents;
using web::Request;
using web::Response;
using web::Result;
using web::Task;

const web::RateLimit chat_rate{.group = "chat", .limit = 60};

using Action = web::Text<1, 40>;
using AgentId = web::Text<1, 128>;

struct Look {
  Action action;
  std::optional<AgentId> agentId;
};
BOOST_DESCRIBE_STRUCT(Look, (), (action, agentId))

struct Do {
  Action action;
  std::optional<AgentId> agentId;
  std::optional<web::Prose<1, 32'000>> message;
};
BOOST_DESCRIBE_STRUCT(Do, (), (action, agentId, message))

struct AgentList {
  bool success = true;
  std::string action;
  std::vector<agents::ListItem> agents;
};
BOOST_DESCRIBE_STRUCT(AgentList, (), (success, action, agents))

struct OneAgent {
  bool success = true;
  std::string action;
  agents::Detail agent;
};
BOOST_DESCRIBE_STRUCT(OneAgent, (), (success, action, agent))

struct Parts {
  Agents& agents;
  chat::Chat& chat;
};

using Lifecycle = Task<Result<Agent>> (Agents::*)(store::UserId, std::string);
struct Named {
  std::string_view action;
  Lifecycle call;
};
constexpr Named lifecycle[] = {{"start", &Agents::start_agent},
                               {"stop", &Agents::stop_agent},
                               {"restart", &Agents::restart_agent},
                               {"repair", &Agents::repair_agent},
                               {"reset-memory", &Agents::reset_memory}};

// The agent that is named, or the caller's only one.
Result<Agent> chosen(const Agents& agents, store::UserId user, const std::optional<AgentId>& id) {
  if (!id && agents.list(user).size() > 1) return web::invalid("agentId is required where one has several agents");
  return agents.resolve(user, id ? std::string(*id) : std::to_string(user));
}

Response list_of(const Agents& agents, store::UserId user) {
  AgentList answer{.action = "list", .agents = {}};
  for (auto& line : agents.list(user)) {
    auto address = agents.websocket_url(line.subdomain);
    answer.agents.push_back({std::move(line.id), std::move(line.name), std::move(line.model), line.status,
                             std::move(address), line.created_at, line.updated_at});
  }
  return web::reply(answer, 200);
}

Task<Result<Response>> look(Parts parts, Request& request, Look wanted) {
  const auto user = request.caller.user_id;
  if (wanted.action == "list") co_return list_of(parts.agents, user);
  if (wanted.action != "status" && wanted.action != "messages")
    co_return web::invalid("action must be one of: list, status, messages");
  const auto agent = chosen(parts.agents, user, wanted.agentId);
  if (!agent) co_return agent.error();
  if (wanted.action == "messages") {
    chat::Slice slice;
    slice.agent = agent->id;
    auto found = parts.chat.history(user, slice);
    if (!found) co_return found.error();
    co_return web::reply(chat::view(std::move(*found)), 200);
  }
  OneAgent answer;
  answer.action = wanted.action;
  answer.agent = co_await detail_of(parts.agents, *agent);
  co_return web::reply(answer, 200);
}

Task<Result<Response>> act(Parts parts, Request& request, Do wanted) {
  const auto user = request.caller.user_id;
  const auto* const known = std::ranges::find(lifecycle, wanted.action, &Named::action);
  if (known == std::end(lifecycle) && wanted.action != "message")
    co_return web::invalid("action must be one of: message, start, stop, restart, repair, reset-memory");
  if (wanted.action == "message" && !wanted.message) co_return web::invalid("message is required");
  const auto agent = chosen(parts.agents, user, wanted.agentId);
  if (!agent) co_return agent.error();
  if (known == std::end(lifecycle)) {
    auto answer = co_await parts.chat.send(user, agent->id, std::move(*wanted.message));
    if (!answer) co_return answer.error();
    co_return web::reply(chat::view(std::move(*answer)), 200);
  }
  const auto done = co_await (parts.agents.*known->call)(user, agent->id);
  if (!done) co_return done.error();
  const agents::Lifecycle answer{.id = done->id, .status = done->status};
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> web_routes(Agents& agents, chat::Chat& chat, const agentbox::Guards& guards) {
  const Parts parts{agents, chat};
  auto get = [parts](Request& request, Look wanted) { return look(parts, request, std::move(wanted)); };
  auto post = [parts](Request& request, Do wanted) { return act(parts, request, std::move(wanted)); };
  return {
      {web::GET, "/api/agent", guards.session, &chat_rate,
       web::query<Look>(get).describe("`action` is list, status or messages. Without agentId it is about the caller's "
                                      "only agent. A userId is not looked at: everything is the caller's own."),
       "Look at an agent, by action"},
      {web::POST, "/api/agent", guards.session, &chat_rate,
       web::body<Do>(post).describe(
           "`action` is message (with `message`; answers as POST /api/chat), start, stop, restart, repair or "
           "reset-memory (answer as those of /api/instance). Without agentId it is about the caller's only agent. A "
           "userId is not looked at: everything is the caller's own."),
       "Do something with an agent, by action"},
  };
}

}  // namespace agent_actions
