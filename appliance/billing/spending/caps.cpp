#include "appliance/billing/spending/caps.h"

#include <algorithm>
#include <utility>

#include "store/transact.h"

namespace billing {

namespace {

constexpr std::int64_t units_in_cent = 10'000'000'000;

const store::CounterName own_count{"caps"}, admin_count{"admin-caps"};

const store::CounterName& count_of(const Cap& cap) { return cap.by_admin ? admin_count : own_count; }

bool applies(const Cap& cap, const usage::Call& call) {
  switch (cap.scope) {
    case CapScope::agent:
      return cap.target == call.agent;
    case CapScope::key:
      return cap.target == call.key;
    case CapScope::plan:
    case CapScope::user:
      return !call.own_key;
    case CapScope::agents:
      return false;  // see on_agents
  }
  return false;
}

std::string slice_of(const Cap& cap) {
  if (cap.scope == CapScope::agent) return usage::slice::agent(cap.target);
  if (cap.scope == CapScope::key) return usage::slice::key(cap.target);
  return std::string(usage::slice::all);
}

}  // namespace

std::string cap_id(const Cap& cap) {
  std::string id = cap.by_admin ? "admin-" : "own-";
  id.append(boost::describe::enum_to_string(cap.scope, "")).append("-").append(cap.target).append("-");
  return id.append(boost::describe::enum_to_string(cap.period, ""));
}

Cap default_agent_cap(Plan plan) {
  Cap cap{.scope = CapScope::agents, .target = std::string(to_string(plan)), .period = CapPeriod::day};
  cap.cost = agent_day_cents(plan) * units_in_cent;
  cap.by_admin = cap.is_default = true;
  cap.id = "plan-agents-" + cap.target + "-day";
  return cap;
}

Cap applied_to(Cap cap, std::string_view agent) {
  cap.plan = std::exchange(cap.target, std::string(agent));
  cap.scope = CapScope::agent;
  return cap;
}

std::vector<Cap> Caps::list(store::UserId user) const {
  return system_.tenant(user).list(caps, {.limit = 2 * max_caps, .after = {}});
}

std::optional<Cap> Caps::find(store::UserId user, std::string_view id) const {
  auto row = system_.tenant(user).get(caps, id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

web::Task<web::Result<Cap>> Caps::put(Cap cap) {
  cap.id = cap_id(cap);
  cap.updated_at = store::now();
  const auto tenant = system_.tenant(cap.user_id);
  const auto step = [&](store::Change& change) -> web::Result<Cap> {
    if (auto row = tenant.get(caps, cap.id)) {
      row->value = cap;
      change.update(caps, *row);
    } else {
      change.insert(caps, cap);
      change.add(cap.user_id, count_of(cap), 1, max_caps);
    }
    return cap;
  };
  const auto refused = [](const store::Outcome& outcome) -> std::optional<web::Result<Cap>> {
    if (outcome.kind != store::Outcome::Kind::over_bound) return std::nullopt;
    return web::Error{.kind = web::Kind::too_many,
                      .message = "There are " + std::to_string(max_caps) + " caps already: delete one first"};
  };
  co_return co_await store::transact(tenant, step, refused);
}

web::Task<web::Result<void>> Caps::remove(store::UserId user, std::string id) {
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = tenant.get(caps, id);
    if (!row) return web::not_found("No such cap");
    change.erase(caps, *row);
    change.add(user, count_of(row->value), -1);
    return {};
  };
  co_return co_await store::transact(tenant, step);
}

web::Task<> Caps::forget(store::UserId user, std::string target) {
  for (const auto& cap : list(user)) {
    if (cap.target != target) continue;
    const auto removed = co_await remove(user, cap.id);
    static_cast<void>(removed);  // a concurrent request may have removed it already
  }
}

Caps::CachedCaps Caps::cached(store::UserId user) const {
  return cache_.get(user, system_.tenant(user).version(caps), [&] { return std::make_optional(list(user)); });
}

std::vector<Cap> Caps::on_agents(Plan plan) const {
  std::vector<Cap> found;
  const auto on_plans = cached(0);
  for (const auto& cap : *on_plans)
    if (cap.scope == CapScope::agents && cap.target == to_string(plan)) found.push_back(cap);
  const bool has_day = std::ranges::any_of(found, [](const Cap& cap) { return cap.period == CapPeriod::day; });
  if (!has_day) found.push_back(default_agent_cap(plan));
  return found;
}

std::vector<Cap> Caps::applying_to(const usage::Call& call, Plan plan) const {
  std::vector<Cap> applying;
  const auto own = cached(call.user_id);
  for (const auto& cap : *own)
    if (applies(cap, call)) applying.push_back(cap);
  if (call.own_key) return applying;
  const auto on_plans = cached(0);
  for (const auto& cap : *on_plans)
    if (cap.scope == CapScope::plan && cap.target == to_string(plan)) applying.push_back(cap);
  if (!call.agent.empty())
    for (auto& cap : on_agents(plan)) applying.push_back(applied_to(std::move(cap), call.agent));
  return applying;
}

std::vector<usage::Limit> limits_of(const Cap& cap, store::Time at) {
  const auto period = cap.period == CapPeriod::day ? usage::Period::day(at) : usage::Period::month(at);
  const auto tally = usage::tally(period, slice_of(cap));
  std::vector<usage::Limit> limits;
  using usage::TallyField;
  if (cap.tokens)
    limits.push_back({.tally = tally.name, .most = *cap.tokens, .field = TallyField::tokens, .name = cap.id});
  if (cap.cost) limits.push_back({.tally = tally.name, .most = *cap.cost, .field = TallyField::cost, .name = cap.id});
  return limits;
}

}  // namespace billing
