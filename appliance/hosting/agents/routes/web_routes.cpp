#include "appliance/hosting/agents/routes/list_cache.h"
#include "appliance/hosting/agents/routes/routes.h"
#include "appliance/hosting/agents/routes/target.h"
#include "appliance/hosting/agents/routes/views.h"
#include "web/endpoint.h"

namespace agents {

namespace {

// One that was never watched is stopped since it was made.
WatchView view_of(watchdog::Watch watch, store::Time made) {
  WatchView view{.state = watch.state,
                 .since = watch.history.empty() ? made : watch.since,
                 .lastProbe = watch.last_probe,
                 .crashes = watch.crashes,
                 .repairs = watch.repairs,
                 .history = {}};
  for (auto& event : watch.history) view.history.push_back({event.at, event.state, std::move(event.reason)});
  return view;
}

}  // namespace

web::Task<Detail> detail_of(Agents& service, Agent agent) {
  auto watch = co_await service.watch(agent);
  Detail detail{.id = agent.id,
                .name = agent.name,
                .status = agent.status,
                .statusReason = agent.status_reason,
                .startedAt = agent.started_at,
                .plan = agent.plan,
                .tier = agent.tier,
                .model = agent.model,
                .subdomain = agent.subdomain,
                .url = service.url(agent.subdomain),
                .websocketUrl = service.websocket_url(agent.subdomain),
                .runtimeVersion = agent.runtime_version,
                .verified = agent.verified,
                .verificationType = agent.verification_type,
                .attestationUid = agent.attestation_uid,
                .verifiedAt = agent.verified_at,
                .createdAt = agent.created_at,
                .updatedAt = agent.updated_at,
                .watchdog = view_of(std::move(watch), agent.created_at)};
  co_return detail;
}

namespace {

using web::Request;
using web::Response;
using web::Result;
using web::Task;

const web::RateLimit agents_rate{.group = "agents", .limit = 100};
const web::RateLimit instance_rate{.group = "instance", .limit = 30};

BOOST_DEFINE_ENUM_CLASS(Tier, starter, pro, enterprise)

struct Provision {
  web::Text<1, 100> name;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> config;
  std::optional<Tier> tier;
};
BOOST_DESCRIBE_STRUCT(Provision, (), (name, model, config, tier))

struct Provisioned {
  struct Item {
    std::string id, name;
    Status status;
    std::string websocketUrl, model;
    store::Time createdAt;
    BOOST_DESCRIBE_CLASS(Item, (), (id, name, status, websocketUrl, model, createdAt), (), ())
  };
  bool success = true;
  Item agent;
};
BOOST_DESCRIBE_STRUCT(Provisioned, (), (success, agent))

struct OneAgent {
  Detail agent;
  std::string status = "ok";
};
BOOST_DESCRIBE_STRUCT(OneAgent, (), (agent, status))

BOOST_DEFINE_ENUM_CLASS(Container, running, exited, missing, unknown)

struct InstanceView {
  bool success = true;
  std::string id, name;
  Status status;
  std::string statusReason, subdomain, url, websocketUrl;
  Container container;
  runtime::Health health;
  std::optional<std::int64_t> exitCode;
  std::optional<store::Time> startedAt;
};
BOOST_DESCRIBE_STRUCT(InstanceView, (),
                      (success, id, name, status, statusReason, subdomain, url, websocketUrl, container, health,
                       exitCode, startedAt))

AgentList list_of(const Agents& service, store::UserId user) {
  AgentList answer;
  if (user == 0) return answer;
  auto found = service.list(user);
  answer.agents.reserve(found.size());
  for (auto& line : found)
    answer.agents.push_back({std::move(line.id), std::move(line.name), std::move(line.model), line.status,
                             service.websocket_url(line.subdomain), line.created_at, line.updated_at});
  answer.count = std::int64_t(answer.agents.size());
  return answer;
}

Container container_of(const Result<runtime::Instance>& instance) {
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

std::vector<web::Route> web_routes(Agents& service, const agentbox::Guards& guards) {
  auto list = [&service, cache = std::make_shared<ListCache>()](Request& request) -> Task<Result<Response>> {
    const auto user = request.caller.user_id;
    const auto make = [&service, user] {
      std::string text;
      web::write_json(text, list_of(service, user));
      return text;
    };
    Response response;
    response.body = *cache->get(user, service.version(user), make);
    co_return response;
  };
  auto provision = [&service](Request& request, Provision wanted) -> Task<Result<Response>> {
    NewAgent fresh{.name = std::move(wanted.name),
                   .model = std::move(wanted.model).value_or(""),
                   .config = std::move(wanted.config).value_or(boost::json::object()),
                   .tier = wanted.tier ? std::string(boost::describe::enum_to_string(*wanted.tier, "")) : std::string(),
                   .plan = {}};
    const auto agent = co_await service.provision(request.caller, std::move(fresh));
    if (!agent) co_return agent.error();
    Provisioned answer;
    answer.agent = {agent->id,    agent->name,      agent->status, service.websocket_url(agent->subdomain),
                    agent->model, agent->created_at};
    co_return web::reply(answer, 201);
  };
  auto detail = [&service](Request& request) -> Task<Result<Response>> {
    const auto agent = service.find(request.caller.user_id, request.param("id"));
    if (!agent) co_return web::not_found();
    OneAgent answer;
    answer.agent = co_await detail_of(service, *agent);
    co_return web::reply(answer, 200);
  };
  auto remove = [&service](Request& request) -> Task<Result<Response>> {
    const Deleted answer{.id = request.param("id")};
    const auto removed = co_await service.remove(request.caller.user_id, answer.id);
    if (!removed) co_return removed.error();
    co_return web::reply(answer, 200);
  };
  auto open = [&service](Request& request) -> Task<Result<Response>> {
    const auto agent = service.find(request.caller.user_id, request.param("id"));
    if (!agent) co_return web::not_found();
    co_return web::redirect(service.open_url(*agent, request.caller)).set("Cache-Control", "no-store");
  };
  auto instance = [&service, target = own(service, "userId")](Request& request) -> Task<Result<Response>> {
    const auto agent = target(request, {});
    if (!agent) co_return agent.error();
    const auto found = co_await service.instance(*agent);
    const auto health = co_await service.health(*agent, found);
    const auto now = found ? *found : runtime::Instance();
    const InstanceView answer{
        .id = agent->id,
        .name = agent->name,
        .status = agent->status,
        .statusReason = found ? agent->status_reason : found.error().message,
        .subdomain = agent->subdomain,
        .url = service.url(agent->subdomain),
        .websocketUrl = service.websocket_url(agent->subdomain),
        .container = container_of(found),
        .health = health,
        .exitCode = now.exit_code ? std::optional<std::int64_t>(*now.exit_code) : std::nullopt,
        .startedAt = now.state == runtime::State::running ? std::optional(now.started_at) : std::nullopt};
    co_return web::reply(answer, 200);
  };
  return {
      {web::GET, "/api/agents", guards.session_optional, &agents_rate, web::plain(list).returns<AgentList>(),
       "The caller's agents; none without a session"},
      {web::POST, "/api/agents/provision", guards.session, &agents_rate,
       web::body<Provision>(provision).returns<Provisioned>(201), "Create an agent and start it"},
      {web::GET, "/api/agents/provision", guards.session, &agents_rate, web::plain(list).returns<AgentList>(),
       "The caller's agents"},
      {web::GET, "/api/agents/:id", guards.session, &agents_rate, web::plain(detail).returns<OneAgent>(), "One agent"},
      {web::DELETE, "/api/agents/:id", guards.session, &agents_rate, web::plain(remove).returns<Deleted>(),
       "Stop an agent and remove everything it has"},
      {web::GET, "/api/agents/:id/open", guards.session, &agents_rate,
       web::plain(open).describe("Redirects to the agent's own host with a single-use ticket for that host's cookie."),
       "Open an agent in the browser"},
      {web::GET, "/api/instance/:userId", guards.session, &instance_rate,
       with_agent_id(web::plain(instance).returns<InstanceView>().describe(
           "`health` is healthy when the gateway answers, starting when it does not, stopped without a process, and "
           "unhealthy when the process is paused or cannot be looked at: `container` is unknown then, and statusReason "
           "says why.")),
       "How an agent's process is"},
  };
}

}  // namespace agents
