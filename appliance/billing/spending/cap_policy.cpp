#include "appliance/billing/spending/cap_policy.h"

#include "appliance/access/keys.h"
#include "appliance/identity/accounts/accounts.h"

namespace billing {

namespace {

constexpr store::UserId owner_of_plan_caps = 0;

bool is_on_plan(const Cap& cap) { return cap.scope == CapScope::plan || cap.scope == CapScope::agents; }

}  // namespace

CapPolicy::CapPolicy(Caps& stored, const usage::Ledger& ledger, const SpendPolicy& spend_policy,
                     const accounts::Accounts& accounts, const keys::Keys& keys, const agentbox::AgentDirectory& agents)
    : caps_(stored), ledger_(ledger), spend_policy_(spend_policy), accounts_(accounts), keys_(keys), agents_(agents) {}

std::vector<Cap> CapPolicy::caps_of_user(store::UserId user) const {
  auto found = caps_.list(user);
  const auto payer = spend_policy_.payer_of(web::Caller{.user_id = user});
  if (!payer) return found;
  for (auto& cap : caps_.list(owner_of_plan_caps))
    if (cap.target == to_string(payer->plan)) found.push_back(std::move(cap));
  return found;
}

web::Result<std::vector<Cap>> CapPolicy::caps_of_agent(store::UserId user, const std::string& agent) const {
  if (!agents_.has(user, agent)) return web::not_found("No such agent");
  std::vector<Cap> found;
  for (auto& cap : caps_.list(user))
    if (cap.scope == CapScope::agent && cap.target == agent) found.push_back(std::move(cap));
  if (const auto payer = spend_policy_.payer_of(web::Caller{.user_id = user}))
    for (auto& cap : caps_.on_agents(payer->plan)) found.push_back(applied_to(std::move(cap), agent));
  return found;
}

web::Task<web::Result<Cap>> CapPolicy::set_by_user(store::UserId user, Cap cap) const {
  if (is_on_plan(cap)) co_return web::invalid("scope must be one of: user, agent, key");
  cap.user_id = user;
  if (const auto checked = check_target(cap); !checked) co_return checked.error();
  co_return co_await caps_.put(std::move(cap));
}

web::Task<web::Result<void>> CapPolicy::remove_by_user(store::UserId user, std::string id) const {
  const auto cap = caps_.find(user, id);
  if (!cap) co_return web::not_found("No such cap");
  if (cap->by_admin) co_return web::forbidden("This cap was set by the administrator");
  co_return co_await caps_.remove(user, std::move(id));
}

web::Result<std::vector<Cap>> CapPolicy::caps_for_admin(std::optional<store::UserId> user) const {
  if (const auto checked = check_owner(user); !checked) return checked.error();
  auto found = caps_.list(user.value_or(owner_of_plan_caps));
  if (user) return found;
  for (const auto plan : {Plan::label, Plan::solo, Plan::collective, Plan::network})
    for (auto& cap : caps_.on_agents(plan))
      if (cap.is_default) found.push_back(std::move(cap));
  return found;
}

web::Task<web::Result<Cap>> CapPolicy::set_by_admin(std::optional<store::UserId> user, Cap cap) const {
  if (is_on_plan(cap) == user.has_value())
    co_return web::invalid("userId is required, but not for a cap on a plan or its agents");
  if (const auto checked = check_owner(user); !checked) co_return checked.error();
  cap.user_id = user.value_or(owner_of_plan_caps);
  cap.by_admin = true;
  if (const auto checked = check_target(cap); !checked) co_return checked.error();
  co_return co_await caps_.put(std::move(cap));
}

web::Task<web::Result<void>> CapPolicy::remove_by_admin(std::optional<store::UserId> user, std::string id) const {
  if (const auto checked = check_owner(user); !checked) co_return checked.error();
  co_return co_await caps_.remove(user.value_or(owner_of_plan_caps), std::move(id));
}

CapUse CapPolicy::use_of(const Cap& cap, store::UserId user) const {
  const auto now = store::now();
  CapUse use{.tokens = std::nullopt,
             .cost = std::nullopt,
             .resets_at = cap.period == CapPeriod::day ? usage::next_day(now) : usage::next_month(now)};
  if (user == owner_of_plan_caps || cap.scope == CapScope::agents) return use;
  for (const auto& limit : limits_of(cap, now)) {
    const auto used = ledger_.spent(user, limit);
    if (limit.field == usage::TallyField::tokens) {
      use.tokens = used;
    } else {
      use.cost = usage::Money::of_units(used);
    }
  }
  return use;
}

web::Result<void> CapPolicy::check_owner(std::optional<store::UserId> user) const {
  if (user && !accounts_.find(*user)) return web::not_found("No such user");
  return {};
}

web::Result<void> CapPolicy::check_target(const Cap& cap) const {
  const bool is_on_part = cap.scope == CapScope::agent || cap.scope == CapScope::key;
  if (is_on_part && cap.target.empty()) return web::invalid("target is required");
  switch (cap.scope) {
    case CapScope::user:
      if (!cap.target.empty()) return web::invalid("target must be left out of a cap on a user");
      break;
    case CapScope::plan:
    case CapScope::agents:
      if (!plan_named(cap.target)) return web::invalid("target must be " + plan_names(" or "));
      break;
    case CapScope::agent:
      if (!agents_.has(cap.user_id, cap.target)) return web::not_found("No such agent");
      break;
    case CapScope::key:
      if (!keys_.find(cap.user_id, cap.target)) return web::not_found("No such key");
      break;
  }
  return {};
}

}  // namespace billing
