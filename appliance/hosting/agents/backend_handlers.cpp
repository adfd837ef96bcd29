#include "appliance/hosting/agents/backend_handlers.h"

#include <algorithm>
#include <limits>

#include "appliance/access/records.h"

namespace agents {
namespace {

web::Result<std::vector<AgentSummary>> summaries_of(const AgentDirectory& directory, const ListQuery& query) {
  const auto limit = query.limit ? std::size_t(query.limit->value) : std::numeric_limits<std::size_t>::max();
  if (!query.userId) return directory.list_all(limit);
  const auto user = accounts::parse_user_id(*query.userId);
  if (!user) return web::invalid("userId must be a user's id");
  auto found = directory.list(*user);
  found.resize(std::min(found.size(), limit));
  return found;
}

}  // namespace

web::Answer create_agent(const Services& services, const web::Request&, CreateRequest body) {
  auto& agents = services.agents;
  if (!body.name || body.name->empty()) co_return web::invalid("Agent name is required");
  NewAgent spec;
  spec.name = std::move(*body.name);
  spec.config = std::move(body.config).value_or(boost::json::object());
  spec.plan = text_member(spec.config, "plan");
  const auto owner = body.userId ? accounts::parse_user_id(*body.userId) : store::UserId(0);
  if (!owner) co_return web::invalid("userId must be a user's id");
  const auto agent = co_await agents.provisioning.create(*owner, std::move(spec));
  if (!agent) co_return agent.error();
  auto answer = show<CreatedAgent>(view_of(*agent, agents.addresses));
  answer.agentId = agent->id;
  co_return web::reply(answer, 201);
}

web::Answer list_all_agents(const Services& services, const web::Request&, ListQuery query) {
  const auto found = summaries_of(services.agents.directory, query);
  if (!found) co_return found.error();
  std::vector<BackendItem> items;
  for (const auto& summary : *found) {
    items.push_back(show<BackendItem>(view_of(summary, services.agents.addresses)));
    items.back().created = summary.created_at;
  }
  co_return web::reply(items, 200);
}

web::Answer list_instances(const Services& services, const web::Request&, ListQuery query) {
  const auto found = summaries_of(services.agents.directory, query);
  if (!found) co_return found.error();
  InstanceList answer;
  for (const auto& summary : *found)
    answer.instances.push_back(show<InstanceItem>(view_of(summary, services.agents.addresses)));
  answer.count = std::int64_t(answer.instances.size());
  co_return web::reply(answer, 200);
}

web::Answer show_any_agent(const Services& services, const web::Request& request) {
  auto& agents = services.agents;
  const auto agent = agents.directory.find(request.param("id"));
  if (!agent) co_return web::not_found();
  const auto answer = co_await detail_of(agents.monitor, agents.addresses, *agent);
  co_return web::reply(answer, 200);
}

web::Answer edit_agent(const Services& services, const web::Request& request, EditRequest body) {
  auto& agents = services.agents;
  const auto target = agents.directory.find(request.param("id"));
  if (!target) co_return web::not_found();
  Changes changes;
  if (body.plan) changes.plan = std::move(*body.plan);
  if (body.aiProvider) changes.ai_provider = std::move(*body.aiProvider);
  changes.config = std::move(body.config);
  const auto agent = co_await agents.editor.change(request.caller, target->owner, target->id, std::move(changes));
  if (!agent) co_return agent.error();
  co_return web::reply(show<EditedAgent>(view_of(*agent, agents.addresses)), 200);
}

web::Answer delete_any_agent(const Services& services, const web::Request& request) {
  const DeletedAgent answer{.id = request.param("id")};
  // A missing agent counts as deleted.
  if (const auto target = services.agents.directory.find(answer.id)) [[maybe_unused]]
    const auto removed = co_await services.agents.lifecycle.remove(target->owner, answer.id);
  co_return web::reply(answer, 200);
}

web::Answer show_version(const Services&, const web::Request&) {
  const Version answer;
  co_return web::reply(answer, 200);
}

}  // namespace agents
