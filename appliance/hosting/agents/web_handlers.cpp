#include "appliance/hosting/agents/web_handlers.h"

#include <algorithm>

#include "appliance/hosting/agents/list_order.h"

namespace agents {
namespace {

using Limit = std::optional<std::vector<std::string>>;

bool is_within(const Limit& limit, const std::string& agent) {
  return !limit || std::ranges::find(*limit, agent) != limit->end();
}

AgentList list_of(const AgentAddresses& addresses, AgentPage page) {
  AgentList answer;
  answer.agents.reserve(page.agents.size());
  for (const auto& summary : page.agents) answer.agents.push_back(show<ListItem>(view_of(summary, addresses)));
  answer.count = std::int64_t(answer.agents.size());
  answer.next = std::move(page.next);
  return answer;
}

// None without a user.
std::vector<AgentSummary> agents_of(const Services& services, store::UserId user, const Limit& limit) {
  std::vector<AgentSummary> found;
  if (user == 0) return found;
  found = services.agents.directory.list(user);
  std::erase_if(found, [&](const auto& summary) { return !is_within(limit, summary.id); });
  return found;
}

AgentOrder order_of(const ListRequest& query) {
  return {.by_name = query.sort == ListSort::name, .is_descending = query.order == ListOrder::desc};
}

bool is_plain(const ListRequest& query) { return !query.sort && !query.order && !query.limit && !query.cursor; }

Container container_of(const web::Result<runtime::Instance>& instance) {
  if (!instance) return Container::unknown;
  switch (instance->state) {
    case runtime::State::running:
      return Container::running;
    case runtime::State::exited:
      return Container::exited;
    case runtime::State::missing:
      break;
  }
  return Container::missing;
}

}  // namespace

web::Answer list_agents(const Services& services, const std::shared_ptr<ListCache>& cache, const web::Request& request,
                        ListRequest query) {
  const auto user = request.caller.user_id;
  const auto& addresses = services.agents.addresses;
  const auto limit = services.limit_of ? services.limit_of(request.caller) : Limit();
  if (limit || !is_plain(query)) {
    const auto most = query.limit ? std::size_t(query.limit->value) : std::size_t(-1);
    const std::string cursor = query.cursor ? std::string(*query.cursor) : std::string();
    auto page = page_of(agents_of(services, user, limit), order_of(query), most, cursor);
    if (!page) co_return page.error();
    co_return web::reply(list_of(addresses, std::move(*page)), 200);
  }
  const auto make = [&services, &addresses, user] {
    std::string text;
    auto all = page_of(agents_of(services, user, {}), {}, std::size_t(-1), {});
    web::write_json(text, list_of(addresses, std::move(all.value())));
    return std::optional(std::move(text));
  };
  web::Response response;
  response.body = *cache->get(user, services.agents.directory.version(user), make);
  co_return response;
}

web::Answer provision_agent(const Services& services, const web::Request& request, ProvisionRequest body) {
  auto& agents = services.agents;
  NewAgent spec{.name = std::move(body.name),
                .model = std::move(body.model).value_or(""),
                .config = std::move(body.config).value_or(boost::json::object()),
                .tier = body.tier ? std::string(boost::describe::enum_to_string(*body.tier, "")) : std::string(),
                .plan = {}};
  const auto agent = co_await agents.provisioning.provision(request.caller, std::move(spec));
  if (!agent) co_return agent.error();
  ProvisionAnswer answer;
  answer.agent = show<ProvisionedAgent>(view_of(*agent, agents.addresses));
  co_return web::reply(answer, 201);
}

web::Answer show_agent(const Services& services, const web::Request& request) {
  auto& agents = services.agents;
  const auto agent = agents.directory.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found();
  DetailAnswer answer;
  answer.agent = co_await detail_of(agents.monitor, agents.addresses, *agent);
  co_return web::reply(answer, 200);
}

web::Answer delete_agent(const Services& services, const web::Request& request) {
  const DeletedAgent answer{.id = request.param("id")};
  const auto removed = co_await services.agents.lifecycle.remove(request.caller.user_id, answer.id);
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

web::Answer open_agent(const Services& services, const web::Request& request) {
  auto& agents = services.agents;
  const auto agent = agents.directory.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found();
  co_return web::redirect(agents.addresses.open_url(*agent, request.caller)).set("Cache-Control", "no-store");
}

web::Answer show_instance(const Services& services, const Target& target, const web::Request& request) {
  auto& agents = services.agents;
  const auto agent = target(services.agents.directory, request, {});
  if (!agent) co_return agent.error();
  const auto instance = co_await agents.monitor.instance(*agent);
  auto answer = show<InstanceAnswer>(view_of(*agent, agents.addresses));
  answer.health = co_await agents.monitor.health(*agent, instance);
  answer.container = container_of(instance);
  answer.startedAt.reset();  // of the process, not of the record
  if (!instance) answer.statusReason = instance.error().message;
  if (instance && instance->exit_code) answer.exitCode = *instance->exit_code;
  if (instance && instance->state == runtime::State::running) answer.startedAt = instance->started_at;
  co_return web::reply(answer, 200);
}

}  // namespace agents
