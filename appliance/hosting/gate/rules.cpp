#include "appliance/hosting/gate/rules.h"

#include <algorithm>
#include <functional>

#include "appliance/hosting/agents/records.h"
#include "store/transact.h"

namespace gate {

namespace {

const std::vector<Rule>& usual_rules() {
  static const std::vector<Rule> rules{
      {.effect = Effect::read, .decision = Decision::allow},
      {.effect = Effect::write, .decision = Decision::allow},
      {.effect = Effect::outward, .turns = Turns::clean, .decision = Decision::allow},
      {.effect = Effect::outward, .turns = Turns::foreign, .decision = Decision::ask},
      {.effect = Effect::code, .turns = Turns::clean, .decision = Decision::allow},
      {.effect = Effect::code, .turns = Turns::foreign, .decision = Decision::ask},
      {.effect = Effect::money, .turns = Turns::clean, .decision = Decision::allow},
      {.effect = Effect::money, .turns = Turns::foreign, .decision = Decision::ask},
  };
  return rules;
}

bool applies(const Rule& rule, const Circumstances& about) {
  if (rule.effect != about.effect || (rule.until && *rule.until <= about.now)) return false;
  if (rule.turns != Turns::any && (rule.turns == Turns::foreign) != about.is_foreign) return false;
  return (rule.target.empty() || rule.target == about.target) &&
         (rule.conversation.empty() || rule.conversation == about.conversation);
}

// What the rules need of an agent's row. Never written.
struct PlanOfAgent {
  std::int64_t owner = 0;
  std::string id, plan;
};
BOOST_DESCRIBE_STRUCT(PlanOfAgent, (), (owner, id, plan))

const store::Owned<PlanOfAgent> plans_of_agents{agents::records.name, &PlanOfAgent::owner, &PlanOfAgent::id, {}};

// `set` may be called more than once.
web::Task<> change_plan(store::System system, billing::Plan plan, std::function<void(PlanRules&)> set) {
  const std::string name(billing::to_string(plan));
  const auto step = [&](store::Change& change) {
    const auto row = system.get(plan_rules, name);
    auto changed = row ? row->value : PlanRules{.plan = name, .rules = {}, .changed_at = {}};
    set(changed);
    changed.changed_at = store::now();
    store::put(change, system, plan_rules, changed);
    return true;
  };
  co_await store::transact(system, step);
}

int narrowness(const Rule& rule) { return (rule.conversation.empty() ? 0 : 2) + (rule.target.empty() ? 0 : 1); }

}  // namespace

const Rule* rule_for(const std::vector<Rule>& rules, const Circumstances& about) {
  const Rule* found = nullptr;
  for (const auto& rule : rules)
    if (applies(rule, about) && (!found || narrowness(rule) >= narrowness(*found))) found = &rule;
  return found;
}

std::vector<Rule> rules_of_plan(const store::System& system, billing::Plan plan) {
  auto rules = usual_rules();
  if (const auto set = system.cached(plan_rules, std::string(billing::to_string(plan))))
    rules.insert(rules.end(), set->rules.begin(), set->rules.end());
  return rules;
}

web::Task<> set_rules_of_plan(store::System system, billing::Plan plan, std::vector<Rule> rules) {
  std::function<void(PlanRules&)> set = [&rules](PlanRules& stored) { stored.rules = rules; };
  co_await change_plan(std::move(system), plan, std::move(set));
}

TaskLimits task_limits_of_plan(const store::System& system, billing::Plan plan) {
  const auto set = system.cached(plan_rules, std::string(billing::to_string(plan)));
  if (!set) return {};
  return {.tasks = set->max_tasks, .apart = std::chrono::seconds(set->seconds_apart)};
}

web::Task<> set_task_limits_of_plan(store::System system, billing::Plan plan, TaskLimits limits) {
  std::function<void(PlanRules&)> set = [&limits](PlanRules& stored) {
    stored.max_tasks = limits.tasks;
    stored.seconds_apart = limits.apart.count();
  };
  co_await change_plan(std::move(system), plan, std::move(set));
}

std::vector<Rule> rules_of_agent(const store::System& system, store::UserId owner, std::string_view agent) {
  const auto stored = system.tenant(owner).cached(rules_table, agent);
  if (!stored) return {};
  auto rules = stored->rules;
  const auto now = store::now();
  std::erase_if(rules, [&](const Rule& rule) { return rule.until && *rule.until <= now; });
  return rules;
}

std::chrono::seconds lifetime_of(const store::System& system, store::UserId owner, std::string_view agent) {
  const auto stored = system.tenant(owner).cached(rules_table, agent);
  return stored && stored->ask_seconds ? std::chrono::seconds(*stored->ask_seconds) : usual_lifetime;
}

web::Task<> set_rules_of_agent(store::System system, Rules requested) {
  const auto tenant = system.tenant(requested.owner);
  requested.changed_at = store::now();
  const auto step = [&](store::Change& change) {
    store::put(change, tenant, rules_table, requested);
    return true;
  };
  co_await store::transact(tenant, step);
}

void add_rule(store::Change& change, const store::System& system, store::UserId owner, const std::string& agent,
              Rule rule) {
  const auto tenant = system.tenant(owner);
  const auto row = tenant.get(rules_table, agent);
  auto changed =
      row ? row->value : Rules{.owner = owner, .id = agent, .rules = {}, .ask_seconds = {}, .changed_at = {}};
  auto& rules = changed.rules;
  std::erase_if(rules, [&](const Rule& other) {
    return other.effect == rule.effect && other.turns == rule.turns && other.target == rule.target &&
           other.conversation == rule.conversation;
  });
  if (rules.size() >= max_rules) rules.erase(rules.begin());
  rules.push_back(std::move(rule));
  changed.changed_at = store::now();
  store::put(change, tenant, rules_table, changed);
}

Decision decide(const store::System& system, store::UserId owner, std::string_view agent, const Circumstances& about) {
  const auto own = rules_of_agent(system, owner, agent);
  if (const auto* rule = rule_for(own, about)) return rule->decision;
  const auto row = system.get(plans_of_agents, owner, agent);
  if (!row) return Decision::refuse;
  const auto plan = billing::plan_named(row->value.plan).value_or(billing::Plan::label);
  const auto of_plan = rules_of_plan(system, plan);
  const auto* rule = rule_for(of_plan, about);
  return rule ? rule->decision : Decision::ask;
}

}  // namespace gate
