#include "appliance/billing/spending/caps.h"

namespace billing {

namespace {

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
  for (;;) {
    const auto tenant = system_.tenant(cap.user_id);
    auto change = tenant.change();
    if (auto row = tenant.get(caps, cap.id)) {
      row->value = cap;
      change.update(caps, *row);
    } else {
      change.insert(caps, cap);
      change.add(cap.user_id, count_of(cap), 1, max_caps);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return cap;
    if (outcome.kind == store::Outcome::Kind::over_bound) {
      co_return web::Error{.kind = web::Kind::too_many,
                           .message = "There are " + std::to_string(max_caps) + " caps already: delete one first"};
    }
  }
}

web::Task<web::Result<void>> Caps::remove(store::UserId user, std::string id) {
  for (;;) {
    const auto tenant = system_.tenant(user);
    const auto row = tenant.get(caps, id);
    if (!row) co_return web::not_found("No such cap");
    auto change = tenant.change();
    change.erase(caps, *row);
    change.add(user, count_of(row->value), -1);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return web::Result<void>();
  }
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

std::vector<Cap> Caps::applying_to(const usage::Call& call, Plan plan) const {
  std::vector<Cap> applying;
  const auto own = cached(call.user_id);
  for (const auto& cap : *own)
    if (applies(cap, call)) applying.push_back(cap);
  if (call.own_key) return applying;
  const auto on_plans = cached(0);
  for (const auto& cap : *on_plans)
    if (cap.scope == CapScope::plan && cap.target == to_string(plan)) applying.push_back(cap);
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
