#include "appliance/billing/spending/spend_policy.h"

#include <algorithm>

#include "appliance/access/keys.h"
#include "appliance/foundation/email.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/admin_address.h"
#include "web/routes/reply.h"

namespace billing {

namespace {

constexpr std::string_view quota_name = "quota", budget_name = "key-budget", demo_limit_name = "demo",
                           credits_name = "credits";

// The contract has success: false in these errors.
web::Error refused(web::Kind kind, std::string code, std::string message) {
  web::Error error{.kind = kind, .message = std::move(message), .code = std::move(code)};
  error.extra["success"] = false;
  return error;
}

web::Error plan_required() {
  return refused(web::Kind::payment_required, "PLAN_REQUIRED",
                 "A paid plan is required: x-user-plan must be " + plan_names(" or "));
}

web::Error subscription_required() {
  return refused(web::Kind::payment_required, "SUBSCRIPTION_REQUIRED", "An active subscription is required");
}

std::string amount_text(const usage::Limit& limit) {
  return limit.field == usage::TallyField::tokens ? std::to_string(limit.most) + " tokens"
                                                  : usage::Money::of_units(limit.most).to_string() + " USD";
}

boost::json::value amount(usage::TallyField field, std::int64_t value) {
  if (field == usage::TallyField::tokens) return value;
  return boost::json::string(usage::Money::of_units(value).to_string());
}

}  // namespace

bool Bounds::has_money() const {
  return std::ranges::any_of(limits, [this](const auto& limit) {
    const auto* cap = cap_of(limit);
    return limit.field == usage::TallyField::cost && !(cap && cap->is_default);
  });
}

std::optional<std::vector<usage::Limit>> Bounds::paid_by_credits(const usage::Limit& exceeded) const {
  if (!credits || exceeded.name != quota_name) return std::nullopt;
  auto applying = limits;
  std::erase_if(applying, [](const auto& limit) { return limit.name == quota_name; });
  applying.push_back(*credits);
  return applying;
}

const Cap* Bounds::cap_of(const usage::Limit& limit) const {
  const auto found = std::ranges::find(caps, limit.name, &Cap::id);
  return found == caps.end() ? nullptr : &*found;
}

std::vector<usage::Limit> Bounds::for_local() const {
  std::vector<usage::Limit> applying;
  for (const auto& limit : limits) {
    const auto* cap = cap_of(limit);
    if (!cap || cap->when_reached != WhenReached::local) applying.push_back(limit);
  }
  return applying;
}

std::vector<usage::Limit> Bounds::for_unpriced() const {
  auto applying = limits;
  for (auto& limit : applying) {
    const auto* cap = cap_of(limit);
    if (limit.field != usage::TallyField::cost || !cap || !cap->is_default) continue;
    constexpr std::int64_t units_in_token = 1'000'000;  // of a dollar's million
    limit.field = usage::TallyField::tokens;
    limit.most /= units_in_token;
  }
  return applying;
}

SpendPolicy::SpendPolicy(const accounts::Accounts& accounts, const keys::Keys& keys,
                         const Subscriptions& stored_subscriptions, const Caps& stored_caps,
                         const usage::Ledger& ledger, const credits::Credits& credits,
                         std::vector<std::string> admin_emails)
    : accounts_(accounts),
      keys_(keys),
      subscriptions_(stored_subscriptions),
      caps_(stored_caps),
      ledger_(ledger),
      credits_(credits),
      admin_emails_(std::move(admin_emails)) {}

bool SpendPolicy::is_admin(std::string_view email) const {
  return accounts::is_admin_address(accounts_, admin_emails_, email);
}

web::Result<Payer> SpendPolicy::payer_of(const PlanClaim& claim) const {
  const auto email = agentbox::normalised_email(claim.email);
  if (email && is_admin(*email)) {
    const auto account = accounts_.find_by_email(*email);
    return Payer{.user = account ? account->id : 0, .plan = Plan::network, .is_admin = true};
  }
  const auto plan = plan_named(claim.plan);
  if (!plan) return plan_required();
  const auto subscription = subscriptions_.named(std::string(claim.subscription_id));
  if (!subscription || subscription->status != "active" || subscription->plan != *plan) return subscription_required();
  const auto user = accounts_.find(subscription->user_id);
  if (!user || user->is_disabled) return subscription_required();
  Payer payer{.user = subscription->user_id, .plan = *plan};
  if (models_of_groups_) payer.models = models_of_groups_(payer.user);
  return payer;
}

web::Result<Payer> SpendPolicy::payer_of(const web::Caller& caller) const {
  Payer payer{.user = caller.user_id, .agent = caller.agent};
  if (caller.agent.empty()) {
    payer.key = caller.credential;
    if (const auto key = keys_.find(caller.user_id, payer.key)) payer.key_budget = key->monthly_budget;
  }
  const auto user = caller.user_id == 0 ? std::nullopt : accounts_.find(caller.user_id);
  payer.is_admin = caller.user_id == 0 || (user && accounts_.is_admin(*user));
  if (payer.is_admin) {
    payer.plan = Plan::network;
    return payer;
  }
  const auto subscription = subscriptions_.active(caller.user_id);
  if (!subscription) return subscription_required();
  payer.plan = subscription->plan;
  if (models_of_groups_) payer.models = models_of_groups_(caller.user_id);
  return payer;
}

web::Result<Payer> SpendPolicy::payer_of(const web::Caller& caller, std::string_view message) const {
  std::optional<SharedTurn> shared;
  if (find_shared_ && !caller.agent.empty() && !message.empty()) shared = find_shared_(caller, message);
  if (!shared) return payer_of(caller);
  auto paying = caller;
  paying.user_id = shared->payer;
  auto payer = payer_of(paying);
  if (!payer) return payer;
  payer->key = std::move(shared->person);
  payer->key_budget = shared->limit;
  return payer;
}

Bounds SpendPolicy::bounds_of(const Payer& payer, const usage::Call& call) const {
  Bounds bounds{.caps = caps_.applying_to(call, payer.plan), .limits = {}, .credits = std::nullopt};
  bounds.limits.reserve(3 + 2 * bounds.caps.size());
  const auto month = usage::Period::month(call.at);
  const auto quota = limits(payer.plan).monthly_tokens;
  if (quota && !payer.is_admin && !call.own_key) {
    bounds.limits.push_back({.tally = usage::tally(month, usage::slice::all).name,
                             .most = *quota + ledger_.credit_totals(call.user_id, month).total_tokens(),
                             .field = usage::TallyField::tokens,
                             .name = std::string(quota_name)});
    if (credits_.pays_calls(payer.user)) bounds.credits = usage::limit_of_credits(std::string(credits_name));
  }
  if (payer.key_budget) {
    bounds.limits.push_back({.tally = usage::tally(month, usage::slice::key(payer.key)).name,
                             .most = *payer.key_budget,
                             .field = usage::TallyField::cost,
                             .name = std::string(budget_name)});
  }
  const auto limit_demo = [&](usage::TallyField field, std::int64_t most) {
    bounds.limits.push_back({.tally = usage::tally(usage::Period::day(call.at), usage::slice::all).name,
                             .most = most,
                             .field = field,
                             .name = std::string(demo_limit_name)});
  };
  if (payer.daily_tokens) limit_demo(usage::TallyField::tokens, *payer.daily_tokens);
  if (payer.daily_cost) limit_demo(usage::TallyField::cost, *payer.daily_cost);
  for (const auto& cap : bounds.caps)
    for (auto& limit : limits_of(cap, call.at)) bounds.limits.push_back(std::move(limit));
  return bounds;
}

web::Error SpendPolicy::quota_exceeded(const usage::Limit& quota, const usage::Limit& met,
                                       const usage::Call& call) const {
  const auto month = usage::Period::month(call.at);
  const auto used = ledger_.quota_used(call.user_id, month);
  const auto held = subscriptions_.active(call.user_id);
  const auto of_plan = held ? limits(held->plan).monthly_tokens : std::nullopt;
  const auto most = of_plan.value_or(quota.most);
  std::string message = "The monthly limit of " + std::to_string(most) + " tokens of this plan";
  web::Error error;
  if (met.name == credits_name) {
    const auto left = credits_.balance(call.user_id).available.to_string();
    error = refused(
        web::Kind::too_many, "QUOTA_EXCEEDED",
        message + " is used up, and the credits that are left, " + left + " USD, have no room for this request");
    error.extra["credits"] = left;
  } else {
    error = refused(web::Kind::too_many, "QUOTA_EXCEEDED", message + " has no room for this request");
  }
  error.extra["limit"] = most;
  error.extra["used"] = used;
  return error;
}

web::Error SpendPolicy::refusal(const Bounds& bounds, const usage::Limit& met, const usage::Call& call) const {
  const auto* cap = bounds.cap_of(met);
  const bool daily = met.name == demo_limit_name || (cap && cap->period == CapPeriod::day);
  const auto resets = daily ? usage::next_day(call.at) : usage::next_month(call.at);
  web::Error error;
  if (met.name == quota_name || met.name == credits_name) {
    const auto quota = std::ranges::find(bounds.limits, quota_name, &usage::Limit::name);
    error = quota_exceeded(*quota, met, call);
  } else if (met.name == demo_limit_name) {
    error = refused(web::Kind::too_many, "QUOTA_EXCEEDED", "The demo has been used up for today");
  } else if (met.name == budget_name) {
    error = refused(web::Kind::too_many, "BUDGET_EXCEEDED",
                    "The monthly budget of " + amount_text(met) +
                        (call.key.starts_with(person_prefix) ? " that you have with this agent" : " of this key") +
                        " has no room for this request");
  } else if (!cap->plan.empty()) {
    error = refused(web::Kind::too_many, "CAP_REACHED",
                    std::string(daily ? "The daily" : "The monthly") + " limit of " + amount_text(met) +
                        " for each agent of the plan " + cap->plan + " has no room for this request until " +
                        web::iso8601(resets));
    error.extra["cap"] = cap->id;
  } else {
    error = refused(web::Kind::too_many, "CAP_REACHED",
                    std::string(daily ? "The daily" : "The monthly") + " cap of " + amount_text(met) + " on this " +
                        boost::describe::enum_to_string(cap->scope, "") + " has no room for this request");
    error.extra["cap"] = cap->id;
  }
  if (!error.extra.contains("limit")) {
    error.extra["limit"] = amount(met.field, met.most);
    error.extra["used"] = amount(met.field, ledger_.spent(call.user_id, met));
  }
  error.extra["resetsAt"] = web::iso8601(resets);
  error.extra["retryAfter"] = std::chrono::ceil<std::chrono::seconds>(resets - store::now()).count();
  if (refused_ && met.name != demo_limit_name) {
    auto limit = met.name;
    if (cap && !cap->plan.empty()) limit += "/" + call.agent;
    if (met.name == budget_name) limit += "/" + call.key;
    refused_(call, limit, error);
  }
  return error;
}

}  // namespace billing
