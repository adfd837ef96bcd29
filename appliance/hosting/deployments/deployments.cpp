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
constexpr int admin_limit = 1000;

agents::NewAgent fresh(Wanted wanted) {
  agents::NewAgent agent;
  agent.name = std::move(wanted.name);
  agent.model = std::move(wanted.model);
  agent.config = std::move(wanted.config);
  agent.is_deployment = wanted.is_deployment;
  if (!wanted.ai_provider.empty()) agent.config["aiProvider"] = wanted.ai_provider;
  return agent;
}

// {"channels": {"telegram": {"botToken": ...}, ...}}: names that config_secrets.h seals.
void add_channels(boost::json::object& config, Channels channels) {
  boost::json::object told;
  const auto add = [&told](const char* name, std::optional<std::string>& token) {
    if (token) told[name] = boost::json::object{{"enabled", true}, {"botToken", std::move(*token)}};
  };
  add("telegram", channels.telegram);
  add("discord", channels.discord);
  add("slack", channels.slack);
  add("whatsapp", channels.whatsapp);
  if (!told.empty()) config["channels"] = std::move(told);
}

// Also for what turns out to be there already: a mistake is told whatever it would have changed.
Result<void> check(const Wanted& wanted) {
  if (!wanted.ai_provider.empty())
    if (const auto good = agents::check_provider(wanted.ai_provider, "aiProvider"); !good) return good.error();
  if (const auto known = agents::read_config(wanted.config, {}); !known) return known.error();
  return {};
}

}  // namespace

std::optional<agents::Agent> Deployments::named(store::UserId user, const Wanted& wanted) const {
  if (wanted.agent) return agents_.find(user, *wanted.agent);
  const auto own = agents_.list(user);
  const auto found = std::ranges::find_if(own, [&](const agents::AgentSummary& one) {
    return one.name == wanted.name && one.status != agents::Status::deleting;
  });
  return found == own.end() ? std::nullopt : agents_.find(user, found->id);
}

Task<Result<Deployed>> Deployments::deploy(store::UserId user, Wanted wanted) {
  if (!agents_.is_user(user)) co_return web::not_found("No such user");
  const auto plan = billing::plan_of_request(wanted.plan.value_or("label"), "plan");
  if (!plan) co_return plan.error();
  if (const auto good = check(wanted); !good) co_return good.error();
  auto agent = named(user, wanted);
  if (!agent && wanted.agent) co_return web::not_found("No such agent");
  if (agent) co_return co_await bring_up(user, std::move(*agent));
  const agents::Allowance allowance{.agents = billing::plan_middleware_limit(*plan),
                                    .refusal = web::Kind::payment_required};
  auto made = co_await agents_.launch(user, fresh(wanted), *plan, allowance);
  if (made) co_return co_await settled(std::move(*made));
  // The same was asked for at the same time, and this one came second: to the name, or to the last place of the plan.
  agent = named(user, wanted);
  if (agent) co_return co_await bring_up(user, std::move(*agent));
  co_return made.error();
}

Task<Result<Deployed>> Deployments::bring_up(store::UserId user, agents::Agent agent) {
  if (agent.status == agents::Status::running) co_return Deployed{.agent = std::move(agent), .was_active = true};
  const bool comes_up = agent.status == agents::Status::provisioning;
  if (!comes_up) {
    auto begun = co_await agents_.begin_start(user, agent.id);
    if (!begun) co_return begun.error();
  }
  auto deployed = co_await settled(std::move(agent));
  deployed.was_active = comes_up && deployed.agent.status == agents::Status::running;
  co_return deployed;
}

Task<Deployed> Deployments::settled(agents::Agent agent) {
  co_await agents_.until_settled(agent.owner, agent.id, deadline);
  auto now = agents_.find(agent.owner, agent.id);
  co_return Deployed{.agent = now ? std::move(*now) : std::move(agent)};
}

Task<Result<agents::Agent>> Deployments::provision(store::UserId user, bool is_admin, Wanted wanted, Channels channels,
                                                   web::Kind at_limit, agents::Also also) {
  if (const auto good = check(wanted); !good) co_return good.error();
  std::optional<billing::Plan> asked;
  if (wanted.plan) {
    const auto plan = billing::plan_of_request(*wanted.plan, "plan");
    if (!plan) co_return plan.error();
    asked = *plan;
  }
  const auto held = subscriptions_.active(user);
  if (!is_admin && (!held || (asked && !billing::covers(held->plan, *asked)))) {
    Error refused{.kind = web::Kind::payment_required,
                  .message = held ? "Your subscription does not include the plan " + *wanted.plan + "."
                                  : std::string("An active subscription is required to provision agents."),
                  .code = "SUBSCRIPTION_REQUIRED"};
    co_return refused;
  }
  const auto plan = asked ? *asked : held ? held->plan : billing::Plan::label;
  agents::Allowance allowance{.agents = billing::backend_provision_limit(plan), .refusal = at_limit};
  if (is_admin) allowance.agents = admin_limit;
  add_channels(wanted.config, std::move(channels));
  co_return co_await agents_.launch(user, fresh(std::move(wanted)), plan, allowance, std::move(also));
}

}  // namespace deployments
