// Which acts of an agent are carried out at once, which wait for its owner, and which are refused.
#pragma once

#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/hosting/gate/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace gate {

inline constexpr std::size_t max_rules = 200;
inline constexpr std::chrono::seconds usual_lifetime{24 * 3600};  // of a question

// What a decision is about.
struct Circumstances {
  Effect effect = Effect::outward;
  bool is_foreign = true;  // the turn has texts of others
  std::string_view target, conversation;
  store::Time now;
};

// The rule that decides; null: none of them.
const Rule* rule_for(const std::vector<Rule>&, const Circumstances&);

// Of agents of a plan: the administrator's, else the usual ones. Reading and writing are allowed; the rest is allowed
// in clean turns and asked in others.
std::vector<Rule> rules_of_plan(const store::System&, billing::Plan);
// An empty list restores the usual rules.
web::Task<> set_rules_of_plan(store::System, billing::Plan, std::vector<Rule>);
// Of the tasks that agents of a plan schedule for themselves.
TaskLimits task_limits_of_plan(const store::System&, billing::Plan);
web::Task<> set_task_limits_of_plan(store::System, billing::Plan, TaskLimits);

// The owner's own, oldest first; those that have ended are left out.
std::vector<Rule> rules_of_agent(const store::System&, store::UserId owner, std::string_view agent);
// How long the agent's questions wait for an answer.
std::chrono::seconds lifetime_of(const store::System&, store::UserId owner, std::string_view agent);
// Replaces the row; `changed_at` is set here.
web::Task<> set_rules_of_agent(store::System, Rules);
// Adds a rule as part of a change; it takes the place of one that differs in its decision or end only.
void add_rule(store::Change&, const store::System&, store::UserId owner, const std::string& agent, Rule);

// The owner's rules first, then those of the plan.
Decision decide(const store::System&, store::UserId owner, std::string_view agent, const Circumstances&);

}  // namespace gate
