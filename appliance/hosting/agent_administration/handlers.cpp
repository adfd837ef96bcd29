#include "appliance/hosting/agent_administration/handlers.h"

#include "appliance/access/records.h"
#include "appliance/hosting/agent_administration/agent_list.h"
#include "web/routes/reply.h"

namespace agent_administration {

namespace {

web::Task<> note(const Services& services, const web::Request& request, const char* act, const agents::Agent& agent,
                 std::optional<web::Error> error) {
  auto entry = audit::of_request(request, act, agent.id);
  entry.user_id = agent.owner;
  if (error) entry.outcome = error->message;
  co_await services.audit.note(std::move(entry));
}

web::Answer show_agents(const Services& services, const web::Request&, AgentsQuery query) {
  AgentFilter filter{.text = query.search.value_or(""), .status = query.status, .after = query.after.value_or("")};
  if (query.limit) filter.limit = static_cast<std::size_t>(query.limit->value);
  if (query.userId) {
    filter.owner = accounts::parse_user_id(*query.userId);
    if (!filter.owner) co_return web::invalid("userId must be a user's id");
  }
  auto read = [services, filter = std::move(filter)] {
    return list_agents(services.agents.directory, services.accounts, filter);
  };
  auto page = co_await web::offload(services.blocking, std::move(read));
  if (!page) co_return page.error();
  AgentList answer{.agents = {}, .total = static_cast<std::int64_t>(page->total), .next = std::move(page->next)};
  for (auto& [agent, email] : page->agents) {
    auto item = agents::show<AgentItem>(view_of(agent, services.agents.addresses));
    if (agent.owner != 0) item.userId = std::to_string(agent.owner);
    if (!email.empty()) item.userEmail = std::move(email);
    answer.agents.push_back(std::move(item));
  }
  co_return web::reply(answer, 200);
}

web::Answer show_agent(const Services& services, const web::Request& request) {
  const auto agent = services.agents.directory.find(request.param("id"));
  if (!agent) co_return web::not_found("No such agent");
  AgentDetail answer;
  answer.agent = co_await agents::detail_of(services.agents.monitor, services.agents.addresses, *agent);
  if (agent->owner != 0) answer.userId = std::to_string(agent->owner);
  if (const auto owner = services.accounts.find(agent->owner)) answer.userEmail = owner->email;
  co_return web::reply(answer, 200);
}

web::Answer carry_out(const Services& services, Act act, const web::Request& request) {
  const auto found = services.agents.directory.find(request.param("id"));
  if (!found) co_return web::not_found("No such agent");
  const auto agent = co_await (services.agents.lifecycle.*act.run)(found->owner, found->id);
  auto error = agent ? std::nullopt : std::optional(agent.error());
  co_await note(services, request, act.noted, *found, std::move(error));
  if (!agent) co_return agent.error();
  co_return web::reply(agents::show<agents::LifecycleAnswer>(view_of(*agent, services.agents.addresses)), 200);
}

web::Answer delete_agent(const Services& services, const web::Request& request) {
  const auto found = services.agents.directory.find(request.param("id"));
  if (!found) co_return web::not_found("No such agent");
  const auto removed = co_await services.agents.lifecycle.remove(found->owner, found->id);
  auto error = removed ? std::nullopt : std::optional(removed.error());
  co_await note(services, request, "agent deleted by admin", *found, std::move(error));
  if (!removed) co_return removed.error();
  const agents::DeletedAgent answer{.id = found->id};
  co_return web::reply(answer, 200);
}

using agents::AgentLifecycle;

constexpr const char* list_text =
    "Newest first; `next` is the `after` of the following page, or null. `search` is part of the name or the "
    "subdomain, or an id. `total` counts all agents that the query admits.";
constexpr const char* act_text = "Answers when it is done; 409 if another request asked for the opposite meanwhile.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.agents;
  const auto act = [&](const char* name, Operation run, const char* noted, const char* summary) -> web::Route {
    return {web::POST,
            std::string("/api/admin/agents/:id/") + name,
            key,
            nullptr,
            web::plain(on(carry_out, Act{run, noted})).returns<agents::LifecycleAnswer>().describe(act_text),
            summary};
  };
  return {
      {web::GET, "/api/admin/agents", key, nullptr,
       web::query<AgentsQuery>(on(show_agents)).returns<AgentList>().describe(list_text),
       "List the agents of all users"},
      {web::GET, "/api/admin/agents/:id", key, nullptr, web::plain(on(show_agent)).returns<AgentDetail>(),
       "Any user's agent"},
      {web::DELETE, "/api/admin/agents/:id", key, nullptr, web::plain(on(delete_agent)).returns<agents::DeletedAgent>(),
       "Stop any user's agent and remove everything it has"},
      act("start", &AgentLifecycle::start, "agent started by admin", "Start any user's agent"),
      act("stop", &AgentLifecycle::stop, "agent stopped by admin", "Stop any user's agent"),
      act("restart", &AgentLifecycle::restart, "agent restarted by admin", "Restart any user's agent"),
  };
}

}  // namespace agent_administration
