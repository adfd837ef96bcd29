#include "appliance/hosting/deployments/deployments.h"

#include <algorithm>

#include "appliance/billing/subscriptions/plan_choice.h"
#include "appliance/hosting/agents/config_check.h"

namespace deployments {

namespace {

using web::Error;
using web::Result;
using web::Task;

constexpr std::chrono::seconds deadline{15};

agents::NewAgent new_agent(DeploymentSpec spec) {
  agents::NewAgent agent;
  agent.name = std::move(spec.name);
  agent.model = std::move(spec.model);
  agent.config = std::move(spec.config);
  agent.is_deployment = spec.is_deployment;
  if (!spec.ai_provider.empty()) agent.config["aiProvider"] = spec.ai_provider;
  return agent;
}

// {"channels": {"telegram": {"botToken": ...}, ...}}: names whose values config_secrets.h encrypts.
void add_channels(boost::json::object& config, ChannelTokens channels) {
  boost::json::object given;
  const auto add = [&given](const char* name, std::optional<std::string>& token) {
    if (token) given[name] = boost::json::object{{"enabled", true}, {"botToken", std::move(*token)}};
  };
  add("telegram", channels.telegram);
  add("discord", channels.discord);
  add("slack", channels.slack);
  add("whatsapp", channels.whatsapp);
  if (!given.empty()) config["channels"] = std::move(given);
}

// Also if the agent exists already: mistakes are reported even if they would change nothing.
Result<void> check(const DeploymentSpec& spec, const agents::ConfigRules& rules) {
  if (!spec.ai_provider.empty())
    if (const auto good = agents::check_provider(spec.ai_provider, "aiProvider", rules); !good) return good.error();
  if (const auto known = agents::read_config(spec.config, rules); !known) return known.error();
  return {};
}

Error subscription_required(std::string message) {
  return {.kind = web::Kind::payment_required, .message = std::move(message), .code = "SUBSCRIPTION_REQUIRED"};
}

}  // namespace

Deployments::Deployments(agents::Agents& agents, const billing::Subscriptions& subscriptions,
                         std::function<bool(store::UserId)> is_admin, ChannelConnector connector)
    : agents_(agents),
      subscriptions_(subscriptions),
      is_admin_(std::move(is_admin)),
      connector_(std::move(connector)) {}

Task<> Deployments::start_channels(const agents::Agent& agent, ChannelTokens tokens) const {
  if (!tokens.is_empty()) co_await connector_(agent.owner, agent.id, std::move(tokens));
}

Task<Result<Deployed>> Deployments::deploy(store::UserId user, DeploymentSpec spec, bool is_for_admin) {
  if (!agents_.directory.is_user(user)) co_return web::not_found("No such user");
  const auto plan = billing::plan_of_request(spec.plan.value_or("label"), "plan");
  if (!plan) co_return plan.error();
  if (const auto good = check(spec, agents_.config_rules()); !good) co_return good.error();
  auto agent = existing(user, spec);
  if (!agent && spec.agent) co_return web::not_found("No such agent");
  if (agent) co_return co_await bring_up(user, std::move(*agent));
  const bool is_unlimited = is_for_admin || is_admin_(user);
  const agents::Allowance allowance{.agents = is_unlimited ? agents::max_agents : billing::plan_middleware_limit(*plan),
                                    .refusal = web::Kind::payment_required};
  auto made = co_await agents_.provisioning.launch(user, new_agent(spec), *plan, allowance);
  if (made) co_return co_await settled(std::move(*made));
  // A concurrent request may have taken the name, or the plan's last place.
  agent = existing(user, spec);
  if (agent) co_return co_await bring_up(user, std::move(*agent));
  co_return made.error();
}

Task<Result<agents::Agent>> Deployments::provision(const web::Caller& caller, DeploymentSpec spec,
                                                   ChannelTokens channels) {
  if (const auto good = check(spec, agents_.config_rules()); !good) co_return good.error();
  const auto entitled = entitlement(caller.user_id, caller.admin, spec.plan);
  if (!entitled) co_return entitled.error();
  add_channels(spec.config, channels);
  auto agent =
      co_await agents_.provisioning.launch(caller, new_agent(std::move(spec)), entitled->plan, entitled->allowance);
  if (agent) co_await start_channels(*agent, std::move(channels));
  co_return agent;
}

Task<Result<agents::Agent>> Deployments::provision_for(store::UserId user, DeploymentSpec spec,
                                                       ChannelTokens channels) {
  if (!agents_.directory.is_user(user)) co_return web::not_found("No such user");
  if (const auto good = check(spec, agents_.config_rules()); !good) co_return good.error();
  auto entitled = entitlement(user, is_admin_(user), spec.plan);
  if (!entitled) co_return entitled.error();
  entitled->allowance.refusal = web::Kind::payment_required;
  add_channels(spec.config, channels);
  auto agent =
      co_await agents_.provisioning.launch(user, new_agent(std::move(spec)), entitled->plan, entitled->allowance);
  if (agent) co_await start_channels(*agent, std::move(channels));
  co_return agent;
}

Result<Deployments::Entitlement> Deployments::entitlement(store::UserId user, bool is_admin,
                                                          const std::optional<std::string>& plan_name) const {
  std::optional<billing::Plan> asked;
  if (plan_name) {
    const auto plan = billing::plan_of_request(*plan_name, "plan");
    if (!plan) return plan.error();
    asked = *plan;
  }
  const auto held = subscriptions_.active(user);
  if (!is_admin && !held) return subscription_required("An active subscription is required to provision agents.");
  if (!is_admin && asked && !billing::covers(held->plan, *asked))
    return subscription_required("Your subscription does not include the plan " + *plan_name + ".");
  const auto plan = asked ? *asked : held ? held->plan : billing::Plan::label;
  const auto limit = is_admin ? std::optional(agents::max_agents) : billing::backend_provision_limit(plan);
  return Entitlement{.plan = plan, .allowance = {.agents = limit}};
}

std::optional<agents::Agent> Deployments::existing(store::UserId user, const DeploymentSpec& spec) const {
  if (spec.agent) return agents_.directory.find(user, *spec.agent);
  const auto own = agents_.directory.list(user);
  const auto found = std::ranges::find_if(own, [&](const agents::AgentSummary& summary) {
    return summary.name == spec.name && summary.status != agents::Status::deleting;
  });
  return found == own.end() ? std::nullopt : agents_.directory.find(user, found->id);
}

Task<Result<Deployed>> Deployments::bring_up(store::UserId user, agents::Agent agent) {
  if (agent.status == agents::Status::running) co_return Deployed{.agent = std::move(agent), .was_active = true};
  const bool was_starting = agent.status == agents::Status::provisioning;
  if (!was_starting) {
    auto begun = co_await agents_.lifecycle.begin_start(user, agent.id);
    if (!begun) co_return begun.error();
  }
  auto deployed = co_await settled(std::move(agent));
  deployed.was_active = was_starting && deployed.agent.status == agents::Status::running;
  co_return deployed;
}

Task<Deployed> Deployments::settled(agents::Agent agent) {
  co_await agents_.directory.until_settled(agent.owner, agent.id, deadline);
  auto now = agents_.directory.find(agent.owner, agent.id);
  co_return Deployed{.agent = now ? std::move(*now) : std::move(agent)};
}

}  // namespace deployments
