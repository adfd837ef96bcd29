#include "appliance/billing/spending/caps.h"

namespace billing {

namespace {

const store::CounterName own_count{"caps"}, admin_count{"admin-caps"};

const store::CounterName& count_of(const Cap& cap) { return cap.by_admin ? admin_count : own_count; }

bool binds(const Cap& cap, const usage::Call& call) {
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

}  // namespace

std::string cap_id(const Cap& cap) {
  std::string id = cap.by_admin ? "admin-" : "own-";
  id.append(boost::describe::enum_to_string(cap.scope, "")).append("-").append(cap.target).append("-");
  return id.append(boost::describe::enum_to_string(cap.period, ""));
}

std::vector<Cap> Caps::list(store::UserId user) const {
  return system_.tenant(user).list(caps, {.limit = 2 * most_caps, .after = {}});
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
      change.add(cap.user_id, count_of(cap), 1, most_caps);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return cap;
    if (outcome.kind == store::Outcome::Kind::over_bound) {
      co_return web::Error{.kind = web::Kind::too_many,
                           .message = "There are " + std::to_string(most_caps) + " caps already: delete one first"};
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
    const auto gone = co_await remove(user, cap.id);
    static_cast<void>(gone);  // somebody else may have been faster
  }
}

Caps::List Caps::current(store::UserId user) const {
  constexpr std::size_t most_remembered = 10'000;
  const auto version = system_.tenant(user).version(caps);
  {
    const std::lock_guard lock(mutex_);
    const auto known = remembered_.find(user);
    if (known != remembered_.end() && known->second.version == version) return known->second.caps;
  }
  auto read = std::make_shared<const std::vector<Cap>>(list(user));
  const std::lock_guard lock(mutex_);
  if (remembered_.size() >= most_remembered) remembered_.clear();
  remembered_[user] = {.version = version, .caps = read};
  return read;
}

std::vector<Cap> Caps::of(const usage::Call& call, Plan plan) const {
  std::vector<Cap> binding;
  const auto own = current(call.user_id);
  for (const auto& cap : *own)
    if (binds(cap, call)) binding.push_back(cap);
  if (call.own_key) return binding;
  const auto on_plans = current(0);
  for (const auto& cap : *on_plans)
    if (cap.scope == CapScope::plan && cap.target == to_string(plan)) binding.push_back(cap);
  return binding;
}

std::vector<usage::Limit> limits_of(const Cap& cap, store::Time at) {
  const auto period = cap.period == CapPeriod::day ? usage::Period::day(at) : usage::Period::month(at);
  std::string slice = "all";
  if (cap.scope == CapScope::agent) slice = "agent/" + cap.target;
  if (cap.scope == CapScope::key) slice = "key/" + cap.target;
  const auto tally = usage::tally(period, slice);
  std::vector<usage::Limit> limits;
  using usage::Tallied;
  if (cap.tokens) {
    limits.push_back({.tally = tally.name, .most = *cap.tokens, .figure = Tallied::tokens, .name = cap.id});
  }
  if (cap.cost) {
    limits.push_back({.tally = tally.name, .most = *cap.cost, .figure = Tallied::cost, .name = cap.id});
  }
  return limits;
}

}  // namespace billing
