#include "appliance/deployments/deployments.h"

#include <algorithm>

namespace deployments {

namespace {

using web::Error;
using web::Result;
using web::Task;

constexpr std::chrono::seconds deadline{15};
constexpr int admin_limit = 1000;
constexpr auto deprecated_plan = "free";

Error paid_plan_required() {
  return {.kind = web::Kind::payment_required,
          .message = "A paid plan is required: label, solo, collective or network.",
          .code = "PLAN_REQUIRED"};
}

agents::NewAgent fresh(Wanted wanted) {
  agents::NewAgent agent;
  agent.name = std::move(wanted.name);
  agent.model = std::move(wanted.model);
  agent.config = std::move(wanted.config);
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

}  // namespace

std::optional<agents::Agent> Deployments::named(store::UserId user, const Wanted& wanted) const {
  if (wanted.agent) return agents_.find(user, *wanted.agent);
  const auto own = agents_.list(user);
  const auto found = std::ranges::find(own, wanted.name, &agents::Line::name);
  return found == own.end() ? std::nullopt : agents_.find(user, found->id);
}

Task<Result<Deployed>> Deployments::deploy(store::UserId user, Wanted wanted) {
  if (!agents_.is_user(user)) co_return web::not_found("No such user");
  if (wanted.plan == deprecated_plan) co_return paid_plan_required();
  const auto plan = billing::plan_named(wanted.plan.value_or("label"));
  if (!plan) co_return web::invalid("plan must be one of: solo, collective, label, network");
  auto agent = named(user, wanted);
  if (!agent && wanted.agent) co_return web::not_found("No such agent");
  if (agent && agent->status == agents::Status::running)
    co_return Deployed{.agent = std::move(*agent), .was_active = true};
  if (agent) {
    auto started = co_await agents_.start_agent(user, agent->id);
    if (!started) co_return started.error();
    co_return Deployed{.agent = std::move(*started)};
  }
  const agents::Allowance allowance{.agents = billing::plan_middleware_limit(*plan),
                                    .refusal = web::Kind::payment_required};
  auto made = co_await agents_.launch(user, fresh(std::move(wanted)), *plan, allowance);
  if (!made) co_return made.error();
  co_await agents_.until_settled(user, made->id, deadline);
  auto now = agents_.find(user, made->id);
  co_return Deployed{.agent = now ? std::move(*now) : std::move(*made)};
}

Task<Result<agents::Agent>> Deployments::provision(store::UserId user, bool is_admin, Wanted wanted, Channels channels,
                                                   web::Kind at_limit) {
  if (wanted.plan == deprecated_plan) co_return paid_plan_required();
  const auto asked = wanted.plan ? billing::plan_named(*wanted.plan) : std::nullopt;
  if (wanted.plan && !asked) co_return web::invalid("plan must be one of: solo, collective, label, network");
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
  co_return co_await agents_.launch(user, fresh(std::move(wanted)), plan, allowance);
}

}  // namespace deployments
