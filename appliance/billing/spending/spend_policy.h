// The gate before every model call: who pays for it, under which plan, and what may still be spent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/spending/caps.h"
#include "appliance/billing/subscriptions/plans.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "web/http.h"
#include "web/result.h"

namespace accounts {
class Accounts;
}
namespace keys {
class Keys;
}

namespace billing {

// On whose account a call goes.
struct Payer {
  store::UserId user = 0;
  Plan plan = Plan::label;
  bool is_admin = false;  // neither plan nor subscription is asked for, and the models are those of network
  std::string agent, key;
  std::optional<std::int64_t> key_budget;    // Money::units a month
  std::optional<std::int64_t> daily_tokens;  // of the public demo
};

// What binds one call.
struct Bounds {
  std::vector<Cap> caps;
  std::vector<usage::Limit> limits;  // the plan's quota, the key's budget, the caps
  bool has_money() const;
  // The cap that is the cause of a limit; null for the quota and the key's budget.
  const Cap* cap_of(const usage::Limit&) const;
  // Without the caps that let the local model answer beyond them.
  std::vector<usage::Limit> for_local() const;
};

// Callable from every thread; the arguments must outlive it.
class SpendPolicy {
 public:
  SpendPolicy(const accounts::Accounts&, const keys::Keys&, const Subscriptions&, const Caps&, const usage::Ledger&,
              std::vector<std::string> admin_emails);

  // By the AI API's headers: x-user-email, x-user-plan, x-billing-subscription-id. PLAN_REQUIRED,
  // SUBSCRIPTION_REQUIRED.
  web::Result<Payer> payer_of(const web::Request&) const;
  // By an API key or an agent's token: its user's own subscription. SUBSCRIPTION_REQUIRED. User 0 is the box itself.
  web::Result<Payer> payer_of(const web::Caller&) const;

  // `call` says whose it is and when.
  Bounds bounds_of(const Payer&, const usage::Call& call) const;
  // The answer to a call that `limits[met]` has no room for: QUOTA_EXCEEDED, BUDGET_EXCEEDED or CAP_REACHED.
  web::Error refusal(const Bounds&, const usage::Limit& met, const usage::Call&) const;

 private:
  bool is_admin(std::string_view email) const;

  const accounts::Accounts& accounts_;
  const keys::Keys& keys_;
  const Subscriptions& subscriptions_;
  const Caps& caps_;
  const usage::Ledger& ledger_;
  const std::vector<std::string> admin_emails_;
};

}  // namespace billing
