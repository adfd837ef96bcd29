#include "appliance/hosting/agents/agent_actions.h"

#include <algorithm>

#include "appliance/hosting/chat/views.h"
#include "appliance/hosting/rate_groups.h"

namespace agent_actions {

namespace {

using agents::Agent;
using agents::AgentLifecycle;
using web::Result;

struct LifecycleAction {
  std::string_view name;
  web::Task<Result<Agent>> (AgentLifecycle::*run)(store::UserId, std::string);
};
constexpr LifecycleAction lifecycle_actions[] = {{"start", &AgentLifecycle::start},
                                                 {"stop", &AgentLifecycle::stop},
                                                 {"restart", &AgentLifecycle::restart},
                                                 {"repair", &AgentLifecycle::repair},
                                                 {"reset-memory", &AgentLifecycle::reset_memory}};

// The named agent, or the caller's only one.
Result<Agent> target(const agents::AgentDirectory& directory, store::UserId user, const std::optional<AgentId>& id) {
  if (!id && directory.list(user).size() > 1) return web::invalid("agentId is required where one has several agents");
  return directory.resolve(user, id ? std::string(*id) : std::to_string(user));
}

web::Response list_agents(const agents::Agents& agents, store::UserId user) {
  AgentList answer{.action = "list", .agents = {}};
  for (const auto& summary : agents.directory.list(user))
    answer.agents.push_back(agents::show<agents::ListItem>(view_of(summary, agents.addresses)));
  return web::reply(answer, 200);
}

Result<web::Response> show_messages(const chat::Chat& chat, store::UserId user, std::string agent) {
  chat::Slice slice;
  slice.agent = std::move(agent);
  auto found = chat.history(user, slice);
  if (!found) return found.error();
  return web::reply(chat::view(std::move(*found)), 200);
}

web::Answer send_message(chat::Chat& chat, store::UserId user, std::string agent, std::string message) {
  auto answer = co_await chat.send(user, std::move(agent), std::move(message));
  if (!answer) co_return answer.error();
  co_return web::reply(chat::view(std::move(*answer)), 200);
}

web::Answer query_agent(const Services& services, const web::Request& request, ActionQuery query) {
  auto& agents = services.agents;
  const auto user = request.caller.user_id;
  if (query.action == "list") co_return list_agents(agents, user);
  if (query.action != "status" && query.action != "messages")
    co_return web::invalid("action must be one of: list, status, messages");
  const auto agent = target(agents.directory, user, query.agentId);
  if (!agent) co_return agent.error();
  if (query.action == "messages") co_return show_messages(services.chat, user, agent->id);
  AgentAnswer answer;
  answer.action = query.action;
  answer.agent = co_await agents::detail_of(agents.monitor, agents.addresses, *agent);
  co_return web::reply(answer, 200);
}

web::Answer act_on_agent(const Services& services, const web::Request& request, ActionRequest body) {
  auto& agents = services.agents;
  const auto user = request.caller.user_id;
  const auto* const action = std::ranges::find(lifecycle_actions, body.action, &LifecycleAction::name);
  const bool is_lifecycle = action != std::end(lifecycle_actions);
  if (!is_lifecycle && body.action != "message")
    co_return web::invalid("action must be one of: message, start, stop, restart, repair, reset-memory");
  if (!is_lifecycle && !body.message) co_return web::invalid("message is required");
  const auto agent = target(agents.directory, user, body.agentId);
  if (!agent) co_return agent.error();
  if (!is_lifecycle) co_return co_await send_message(services.chat, user, agent->id, std::move(*body.message));
  const auto done = co_await (agents.lifecycle.*action->run)(user, agent->id);
  co_return agents::lifecycle_answer(done, agents.addresses);
}

constexpr auto about_query =
    "`action` is list, status or messages. Without agentId the caller's only agent is meant. A userId is ignored: all "
    "agents are the caller's own.";

constexpr auto about_actions =
    "`action` is message (with `message`; answers like POST /api/chat), start, stop, restart, repair or reset-memory "
    "(answer like those of /api/instance). Without agentId the caller's only agent is meant. A userId is ignored: all "
    "agents are the caller's own.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/agent", session, &hosting::actions_rate,
       web::query<ActionQuery>(on(query_agent)).describe(about_query), "Query an agent by the name of an action"},
      {web::POST, "/api/agent", session, &hosting::actions_rate,
       web::body<ActionRequest>(on(act_on_agent)).describe(about_actions), "Run an action on an agent by its name"},
  };
}

}  // namespace agent_actions
