#include "appliance/hosting/plan_limits/plan_limits.h"

#include <algorithm>
#include <limits>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/agents/revocation.h"
#include "store/transact.h"

namespace plan_limits {

namespace {

// The contract limits agents by route, with different numbers: the largest that any route allows the plan. Not set: any
// number.
std::optional<int> max_agents(billing::Plan plan) {
  const auto deployed = billing::backend_provision_limit(plan);
  return deployed ? std::optional(std::max(*deployed, billing::plan_middleware_limit(plan))) : std::nullopt;
}

std::string count_of_agents(int count) { return std::to_string(count) + (count == 1 ? " agent" : " agents"); }

}  // namespace

PlanRoom::PlanRoom(store::System system, const billing::Subscriptions& subscriptions,
                   const accounts::Accounts& accounts)
    : system_(std::move(system)), subscriptions_(subscriptions), accounts_(accounts) {}

std::optional<PlanRoom::Allowance> PlanRoom::allowance_of(store::UserId user) const {
  const auto account = accounts_.find(user);
  if (account && accounts_.is_admin(*account)) return std::nullopt;
  const auto held = subscriptions_.active(user);
  if (!held) return Allowance{};
  const auto most = max_agents(held->plan);
  if (!most) return std::nullopt;
  return Allowance{.agents = *most, .plan = std::string(billing::to_string(held->plan))};
}

std::vector<std::string> PlanRoom::running_of(store::UserId user) const {
  auto all = system_.tenant(user).list(agents::records, {.limit = std::size_t(-1), .after = {}});
  std::erase_if(all, [](const agents::Agent& agent) { return agent.desired != agents::desired::running; });
  std::ranges::stable_sort(all, {}, &agents::Agent::created_at);
  std::vector<std::string> ids;
  for (auto& agent : all) ids.push_back(std::move(agent.id));
  return ids;
}

web::Result<void> PlanRoom::has_room(store::UserId user, std::string_view agent) const {
  if (!system_.get(plan_stops, user, agent)) return {};
  const auto allowance = allowance_of(user);
  if (!allowance) return {};
  auto running = running_of(user);
  std::erase(running, agent);
  if (running.size() < static_cast<std::size_t>(allowance->agents)) return {};
  web::Error error;
  error.kind = allowance->plan.empty() ? web::Kind::payment_required : web::Kind::too_many;
  error.message = allowance->plan.empty()
                      ? std::string("An active subscription is required to run this agent.")
                      : "The plan " + allowance->plan + " runs " + count_of_agents(allowance->agents) + " at once.";
  if (allowance->plan.empty()) error.code = "SUBSCRIPTION_REQUIRED";
  error.extra["current"] = running.size();
  error.extra["limit"] = allowance->agents;
  return error;
}

PlanLimits::PlanLimits(store::System system, const PlanRoom& room, agents::AgentLifecycle& lifecycle)
    : system_(std::move(system)), room_(room), lifecycle_(lifecycle) {}

web::Task<> PlanLimits::enforce() {
  constexpr std::size_t page = 500;
  for (;;) {
    const auto due = system_.find_range(billing::plan_periods, "not_enforced", std::int64_t{0},
                                        std::numeric_limits<std::int64_t>::max(), page);
    if (due.empty()) co_return;
    for (const auto& period : due) {
      co_await enforce(period.user_id);
      const auto mark = [](billing::PlanPeriod& each) { each.is_enforced = true; };
      co_await system_.modify(billing::plan_periods, period.user_id, period.id, mark);
    }
  }
}

web::Task<> PlanLimits::enforce(store::UserId user) {
  const auto allowance = room_.allowance_of(user);
  if (!allowance) co_return;
  const auto running = room_.running_of(user);
  const auto most = static_cast<std::size_t>(allowance->agents);
  co_await note_stopped(user, most);
  if (running.size() <= most) co_return;
  const auto reason = allowance->plan.empty()
                          ? std::string("The plan of this agent's owner has ended.")
                          : "The plan " + allowance->plan + " runs " + count_of_agents(allowance->agents) +
                                " at once: stop another, or choose a larger plan, and start this one again.";
  for (auto at = most; at < running.size(); ++at) co_await stop(user, running[at], reason);
  lifecycle_.run_committed_jobs(user);
}

// Agents that do not run when the plan becomes smaller start within it later, as those that are stopped for it.
web::Task<> PlanLimits::note_stopped(store::UserId user, std::size_t most) {
  const auto all = system_.tenant(user).list(agents::records, {.limit = std::size_t(-1), .after = {}});
  if (all.size() <= most) co_return;
  for (const auto& agent : all) {
    if (agent.desired == agents::desired::running || system_.get(plan_stops, user, agent.id)) continue;
    auto change = system_.change();
    const PlanStop stopped{.user_id = user, .id = agent.id, .at = store::now()};
    change.insert(plan_stops, stopped);
    co_await change.commit();  // it exists already, if that fails
  }
}

web::Task<> PlanLimits::stop(store::UserId user, std::string id, std::string reason) {
  const auto step = [&](store::Change& change) {
    auto row = system_.get(agents::records, user, id);
    if (!row || row->value.desired != agents::desired::running) return false;
    agents::stop_for(system_, row->value, reason, change);
    change.update(agents::records, *row);
    if (!system_.get(plan_stops, user, id)) {
      const PlanStop stopped{.user_id = user, .id = id, .at = store::now()};
      change.insert(plan_stops, stopped);
    }
    return true;
  };
  co_await store::transact(system_, step);
}

web::Task<> PlanLimits::forget(store::UserId user, std::string agent) const {
  const auto row = system_.get(plan_stops, user, agent);
  if (!row) co_return;
  auto change = system_.change();
  change.erase(plan_stops, *row);
  co_await change.commit();
}

}  // namespace plan_limits
