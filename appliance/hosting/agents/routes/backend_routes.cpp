#include <algorithm>

#include "appliance/hosting/agents/routes/routes.h"
#include "appliance/hosting/agents/routes/views.h"
#include "appliance/identity/accounts/records.h"
#include "appliance/identity/accounts/user_id.h"
#include "web/endpoint.h"

namespace agents {
namespace {

using web::Request;
using web::Response;
using web::Result;
using web::Task;

constexpr auto default_provider = "openrouter";

// `name` is optional here because the contract words the error of a missing one.
struct Create {
  std::optional<web::Text<0, 100>> name;
  std::optional<boost::json::object> config;
  std::optional<web::Text<1, 20>> userId;
};
BOOST_DESCRIBE_STRUCT(Create, (), (name, config, userId))

struct Created {
  std::string id, name, agentId;
  Status status;
  std::string subdomain, url;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(Created, (), (id, name, agentId, status, subdomain, url, createdAt))

struct Edit {
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<boost::json::object> config;
};
BOOST_DESCRIBE_STRUCT(Edit, (), (plan, aiProvider, config))

struct Edited {
  std::string id, plan, aiProvider, subdomain;
  Status status;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(Edited, (), (id, plan, aiProvider, subdomain, status, message))

struct ListQuery {
  std::optional<web::Text<1, 20>> userId;
  std::optional<web::Integer<1, 10'000>> limit;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (userId, limit))

struct Version {
  std::string version = runtime_version;
  std::string runtimeVersion = runtime_version;
};
BOOST_DESCRIBE_STRUCT(Version, (), (version, runtimeVersion))

struct InstanceItem {
  std::string id, name;
  Status status;
  std::string subdomain, url;
};
BOOST_DESCRIBE_STRUCT(InstanceItem, (), (id, name, status, subdomain, url))

struct Instances {
  std::vector<InstanceItem> instances;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(Instances, (), (instances, count))

std::string provider_of(const Agent& agent) {
  auto* provider = agent.config.if_contains("aiProvider");
  return provider && provider->is_string() ? std::string(provider->get_string()) : default_provider;
}

Result<std::vector<AgentSummary>> lines_asked_for(const Agents& service, const ListQuery& asked) {
  const auto limit = std::size_t(asked.limit ? asked.limit->value : 1000);
  if (!asked.userId) return service.list_all(limit);
  const auto user = accounts::parse_user_id(*asked.userId);
  if (!user) return web::invalid("userId must be a user's id");
  auto found = service.list(*user);
  found.resize(std::min(found.size(), limit));
  return found;
}

}  // namespace

std::vector<web::Route> backend_routes(Agents& service, const agentbox::Guards& guards) {
  auto create = [&service](Request&, Create wanted) -> Task<Result<Response>> {
    if (!wanted.name || wanted.name->empty()) co_return web::invalid("Agent name is required");
    NewAgent fresh;
    fresh.name = std::move(*wanted.name);
    fresh.config = std::move(wanted.config).value_or(boost::json::object());
    if (const auto* plan = fresh.config.if_contains("plan"); plan && plan->is_string()) fresh.plan = plan->get_string();
    store::UserId owner = 0;
    if (wanted.userId) {
      const auto user = accounts::parse_user_id(*wanted.userId);
      if (!user || !service.is_user(*user)) co_return web::invalid("userId must be a user's id");
      owner = *user;
    }
    const auto agent = co_await service.create(owner, std::move(fresh));
    if (!agent) co_return agent.error();
    const Created answer{agent->id,        agent->name,      agent->id,
                         agent->status,    agent->subdomain, service.url(agent->subdomain),
                         agent->created_at};
    co_return web::reply(answer, 201);
  };
  auto list = [&service](Request&, ListQuery asked) -> Task<Result<Response>> {
    auto found = lines_asked_for(service, asked);
    if (!found) co_return found.error();
    std::vector<BackendItem> items;
    for (auto& line : *found) {
      auto url = service.url(line.subdomain);
      items.push_back({std::move(line.id), line.status, line.created_at, std::move(line.subdomain), std::move(url)});
    }
    co_return web::reply(items, 200);
  };
  auto instances = [&service](Request&, ListQuery asked) -> Task<Result<Response>> {
    auto found = lines_asked_for(service, asked);
    if (!found) co_return found.error();
    Instances answer;
    for (auto& line : *found) {
      auto url = service.url(line.subdomain);
      answer.instances.push_back(
          {std::move(line.id), std::move(line.name), line.status, std::move(line.subdomain), std::move(url)});
    }
    answer.count = std::int64_t(answer.instances.size());
    co_return web::reply(answer, 200);
  };
  auto detail = [&service](Request& request) -> Task<Result<Response>> {
    const auto agent = service.find(request.param("id"));
    if (!agent) co_return web::not_found();
    const auto answer = co_await detail_of(service, *agent);
    co_return web::reply(answer, 200);
  };
  auto edit = [&service](Request& request, Edit wanted) -> Task<Result<Response>> {
    const auto target = service.find(request.param("id"));
    if (!target) co_return web::not_found();
    Changes changes;
    if (wanted.plan) changes.plan = std::move(*wanted.plan);
    if (wanted.aiProvider) changes.ai_provider = std::move(*wanted.aiProvider);
    changes.config = std::move(wanted.config);
    const auto agent = co_await service.change(target->owner, target->id, std::move(changes));
    if (!agent) co_return agent.error();
    const Edited answer{agent->id,        agent->plan,   provider_of(*agent),
                        agent->subdomain, agent->status, "The agent has been updated."};
    co_return web::reply(answer, 200);
  };
  auto remove = [&service](Request& request) -> Task<Result<Response>> {
    const Deleted answer{.id = request.param("id")};
    // One that is missing is as good as deleted.
    if (const auto target = service.find(answer.id)) [[maybe_unused]]
      const auto removed = co_await service.remove(target->owner, answer.id);
    co_return web::reply(answer, 200);
  };
  auto version = [](Request&) -> Task<Result<Response>> {
    const Version answer;
    co_return web::reply(answer, 200);
  };
  return {
      {web::GET, "/api/agents", guards.internal_key, nullptr,
       web::query<ListQuery>(list).returns<std::vector<BackendItem>>().describe(
           "`userId` names an owner; `limit` is 1000 unless given."),
       "Agents of the box"},
      {web::POST, "/api/agents", guards.internal_key, nullptr,
       web::body<Create>(create).returns<Created>(201).describe(
           "The agent is `pending` until it is started. `userId` makes it a user's; without it, it is the box's."),
       "Create an agent"},
      {web::GET, "/api/agents/:id", guards.internal_key, nullptr, web::plain(detail).returns<Detail>(), "One agent"},
      {web::PUT, "/api/agents/:id", guards.internal_key, nullptr, web::body<Edit>(edit).returns<Edited>(),
       "Change an agent's plan, provider or config"},
      {web::DELETE, "/api/agents/:id", guards.internal_key, nullptr, web::plain(remove).returns<Deleted>(),
       "Stop an agent and remove everything it has"},
      {web::GET, "/api/runtime/version", guards.none, nullptr, web::plain(version).returns<Version>(),
       "Version of the agent runtime"},
      {web::GET, "/api/runtime/instances", guards.internal_key, nullptr,
       web::query<ListQuery>(instances).returns<Instances>(), "Agents and how they are"},
  };
}

}  // namespace agents
