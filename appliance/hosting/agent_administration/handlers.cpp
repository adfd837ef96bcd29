#include "appliance/hosting/agent_administration/handlers.h"

#include "appliance/hosting/agent_administration/agent_list.h"
#include "appliance/identity/accounts/user_id.h"
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

}  // namespace

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

}  // namespace agent_administration
