#include "appliance/hosting/agents/agent_provisioning.h"

#include "appliance/billing/subscriptions/plan_choice.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/owner_state.h"
#include "appliance/hosting/plan_egress/plan_egress.h"

namespace agents {
namespace {

using web::Error;
using web::Result;
using web::Task;

Error provisioning_is_off() { return web::unavailable("Provisioning is switched off on this box."); }

Error subscription_required(std::string message) {
  return {.kind = web::Kind::payment_required, .message = std::move(message), .code = "SUBSCRIPTION_REQUIRED"};
}

Error limit_reached(web::Kind kind, std::int64_t current, int limit) {
  return {.kind = kind,
          .message = "You have as many agents as you may have.",
          .code = "AGENT_LIMIT_REACHED",
          .extra = {{"current", current}, {"limit", limit}}};
}

// Counted along the agents that are there: a clone of an agent that has been deleted is the first again.
int generation_of(const AgentDirectory& directory, Agent agent, int most) {
  int generation = 1;
  while (agent.descent && generation < most) {
    auto parent = directory.find(agent.owner, agent.descent->parent);
    if (!parent) break;
    agent = std::move(*parent);
    ++generation;
  }
  return generation;
}

Result<void> check_generation(const AgentDirectory& directory, const Agent& parent, billing::Plan plan) {
  const auto limit = billing::generation_limit(plan);
  if (!limit) return {};
  const auto current = generation_of(directory, parent, *limit);
  if (current < *limit) return {};
  return Error{.kind = web::Kind::too_many,
               .message = "Your plan has no further generation of clones: this agent is of its last one.",
               .code = "GENERATION_LIMIT_REACHED",
               .extra = {{"current", current}, {"limit", *limit}}};
}

CommitHook both(CommitHook first, CommitHook second) {
  return [first = std::move(first), second = std::move(second)](store::Change& change) {
    const auto good = first(change);
    return good ? second(change) : good;
  };
}

void make_start_at_once(Agent& agent) {
  agent.status = Status::provisioning;
  agent.desired = desired::running;
}

}  // namespace

AgentProvisioning::AgentProvisioning(store::System system, const AgentDirectory& directory,
                                     const billing::Subscriptions& subscriptions, const agentbox::Settings& settings,
                                     Ports& ports, Provisioner& provisioner, const ConfigRules& rules,
                                     const PremiumModel& premium_model)
    : system_(std::move(system)),
      directory_(directory),
      subscriptions_(subscriptions),
      settings_(settings),
      ports_(ports),
      provisioner_(provisioner),
      rules_(rules),
      premium_model_(premium_model) {}

Task<Result<Agent>> AgentProvisioning::provision(const web::Caller& caller, NewAgent spec) {
  if (!settings_.provisioning_enabled) co_return provisioning_is_off();
  if (auto good = check(spec, rules_); !good) co_return good.error();
  auto plan = billing::Plan::label;
  if (!spec.tier.empty()) {
    auto asked = billing::plan_of_tier(spec.tier);
    if (!asked) co_return web::invalid("tier must be one of: starter, pro, enterprise");
    plan = *asked;
  }
  if (!caller.admin) {
    auto held = subscriptions_.active(caller.user_id);
    if (!held) co_return subscription_required("An active subscription is required to provision agents.");
    if (!billing::covers(held->plan, plan))
      co_return subscription_required("Your subscription does not include the tier " + spec.tier + ".");
  }
  if (spec.model.empty()) spec.model = co_await default_model_for(caller.user_id, spec.config);
  const Allowance allowance{.agents = caller.admin ? max_agents : billing::web_proxy_limit(spec.tier)};
  co_return co_await launch(caller, std::move(spec), plan, allowance);
}

Task<Result<Agent>> AgentProvisioning::launch(const web::Caller& caller, NewAgent spec, billing::Plan plan,
                                              Allowance allowance) {
  return launch(caller.user_id, std::move(spec), plan, allowance, while_signed_in(system_, caller));
}

Task<Result<Agent>> AgentProvisioning::launch(store::UserId owner, NewAgent spec, billing::Plan plan,
                                              Allowance allowance, CommitHook hook) {
  if (!settings_.provisioning_enabled) co_return provisioning_is_off();
  if (auto good = check(spec, rules_); !good) co_return good.error();
  auto agent = make_record(owner, std::move(spec));
  agent.plan = billing::to_string(plan);
  make_start_at_once(agent);
  co_return co_await insert(std::move(agent), allowance, Run::now, std::move(hook));
}

Task<Result<Agent>> AgentProvisioning::clone(const web::Caller& caller, store::UserId owner, std::string name,
                                             CloneOrigin descent, CommitHook hook, Run begins) {
  if (!settings_.provisioning_enabled) co_return provisioning_is_off();
  const bool is_limited = caller.user_id != 0 && !caller.admin;
  const auto parent = directory_.find(owner, descent.parent);
  if (!parent) co_return web::not_found();
  const auto held = subscriptions_.active(owner);
  if (!held && is_limited) co_return subscription_required("An active subscription is required to clone agents.");
  if (held && is_limited)
    if (const auto deep = check_generation(directory_, *parent, held->plan); !deep) co_return deep.error();
  NewAgent spec{.name = std::move(name), .model = parent->model, .config = {}, .tier = {}, .plan = {}};
  if (auto good = check(spec, rules_); !good) co_return good.error();
  auto agent = make_record(owner, std::move(spec));
  agent.config = parent->config;
  agent.config_secrets = parent->config_secrets;
  agent.image = parent->image;
  agent.tier = parent->tier;
  agent.plan = parent->plan;
  agent.descent = std::move(descent);
  if (begins == Run::now) make_start_at_once(agent);
  const Allowance allowance{.agents = held && is_limited ? billing::plan_middleware_limit(held->plan) : max_agents};
  if (caller.user_id != 0) hook = both(while_signed_in(system_, caller), std::move(hook));
  co_return co_await insert(std::move(agent), allowance, begins, std::move(hook));
}

Task<Result<Agent>> AgentProvisioning::create(store::UserId owner, NewAgent spec) {
  if (owner != 0 && !directory_.is_user(owner)) co_return web::invalid("userId must be a user's id");
  if (!settings_.provisioning_enabled) co_return provisioning_is_off();
  if (auto good = check(spec, rules_); !good) co_return good.error();
  const auto plan = billing::plan_of_request(spec.plan.empty() ? "label" : spec.plan, "config.plan");
  if (!plan) co_return plan.error();
  auto agent = make_record(owner, std::move(spec));
  agent.plan = billing::to_string(*plan);
  co_return co_await insert(std::move(agent), {}, Run::later);
}

// Empty: the config's, or the box's default. The premium model is always asked of its maker, so it would overrule a
// provider that the config names.
Task<std::string> AgentProvisioning::default_model_for(store::UserId owner, const boost::json::object& config) const {
  const auto provider = requested_provider(config);
  const bool is_chosen = !text_member(config, "model").empty() || !(provider.empty() || provider == "auto");
  if (is_chosen || !premium_model_) co_return std::string();
  co_return co_await premium_model_(owner);
}

std::int64_t AgentProvisioning::sessions_since(store::UserId owner) const {
  const auto user = system_.cached(accounts::users, owner);
  return user ? user->sessions_since : 0;
}

Task<Result<Agent>> AgentProvisioning::insert(Agent agent, Allowance allowance, Run run, CommitHook hook) {
  // A clone has the config of its parent, which is paid for as it is.
  if (!agent.descent)
    if (const auto good = plan_egress::check(system_, agent); !good) co_return good.error();
  for (;;) {
    agent.id = "ag_" + crypto::random_id(20);
    agent.subdomain = make_subdomain(agent.name);
    auto port = ports_.find();
    if (!port) co_return no_free_port();
    agent.port = *port;
    auto change = system_.change();
    if (const auto enabled = require_enabled_owner(system_, agent.owner, change); !enabled) co_return enabled.error();
    agent.tokens_since = sessions_since(agent.owner);
    change.insert(records, agent);
    if (run == Run::now) {
      const Job job{.agent = agent.id, .owner = agent.owner, .action = Action::start, .created_at = store::now()};
      change.insert(jobs, job);
    }
    const auto limit = allowance.agents;
    change.add(agent.owner, count, 1, limit ? std::optional<std::int64_t>(*limit) : std::nullopt);
    if (hook)
      if (auto added = hook(change); !added) co_return added.error();
    auto outcome = co_await change.commit();
    if (outcome.kind == store::Outcome::Kind::over_bound)
      co_return limit_reached(allowance.refusal, system_.counter(agent.owner, count), *limit);
    if (outcome.duplicate("deployment")) co_return web::conflict("This deployment has been made already.");
    if (!outcome.ok()) continue;  // another commit took the port or, improbably, the name
    if (run == Run::now) provisioner_.notify(agent.id);
    co_return agent;
  }
}

}  // namespace agents
