// Decides before every model call which user and plan pay for it, and what limits apply to it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/credits/credits.h"
#include "appliance/billing/spending/caps.h"
#include "appliance/billing/subscriptions/plans.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace accounts {
class Accounts;
}
namespace keys {
class Keys;
}

namespace billing {

// The account that a call is charged to.
struct Payer {
  store::UserId user = 0;
  Plan plan = Plan::label;
  bool is_admin = false;  // needs no plan or subscription, and may use the models of the plan network
  std::string agent, key;
  std::optional<std::int64_t> key_budget;                // Money::units per month
  std::optional<std::int64_t> daily_tokens, daily_cost;  // limits of the public demo; the cost in Money::units
  std::optional<std::vector<std::string>> models;        // the only ones that the user's groups allow
};

// The payer of a turn that another user than its owner has begun with a shared agent.
struct SharedTurn {
  store::UserId payer = 0;
  std::string person;                 // in place of a key: what the person uses of the agent is counted under it
  std::optional<std::int64_t> limit;  // of the person in a month, in Money::units
};
// The name of such a person in place of a key's id.
inline constexpr std::string_view person_prefix = "person:";

// What a request claims in the headers of the AI API; empty where a header is missing.
struct PlanClaim {
  std::string_view email;            // x-user-email
  std::string_view plan;             // x-user-plan
  std::string_view subscription_id;  // x-billing-subscription-id
};

// The limits that apply to one call.
struct Bounds {
  std::vector<Cap> caps;
  std::vector<usage::Limit> limits;  // the plan's quota, the key's budget, the caps
  // Whether a limit on money rules out calls whose cost is unknown. A default cap on agents does not: see for_unpriced.
  bool has_money() const;
  // In place of the plan's quota, if the user lets credits pay for what exceeds it.
  std::optional<usage::Limit> credits;
  // The limits of the call once credits pay for it, since it exceeds this limit; not set: they do not.
  std::optional<std::vector<usage::Limit>> paid_by_credits(const usage::Limit& exceeded) const;
  // The cap that set the limit; null for the quota, credits and the key's budget.
  const Cap* cap_of(const usage::Limit&) const;
  // Without the caps that let the local model answer beyond them.
  std::vector<usage::Limit> for_local() const;
  // Of a call whose cost is unknown: the default cap on agents limits it to a million tokens for each dollar.
  std::vector<usage::Limit> for_unpriced() const;
};

// Callable from every thread; the arguments must outlive it.
class SpendPolicy {
 public:
  SpendPolicy(const accounts::Accounts&, const keys::Keys&, const Subscriptions&, const Caps&, const usage::Ledger&,
              const credits::Credits&, std::vector<std::string> admin_emails);

  // Checks a claim against the stored subscription. An administrator's email needs neither plan nor subscription.
  // PLAN_REQUIRED, SUBSCRIPTION_REQUIRED.
  web::Result<Payer> payer_of(const PlanClaim&) const;
  // The subscription of the user of an API key or an agent's token. User 0 is the box itself. SUBSCRIPTION_REQUIRED.
  web::Result<Payer> payer_of(const web::Caller&) const;
  // The same for a call of an agent within a turn, which it names by the id of the turn's message.
  web::Result<Payer> payer_of(const web::Caller&, std::string_view message) const;

  // Finds who pays for the turn of this message of the calling agent, if it is one of a person that the agent is shared
  // with and still in progress. Set before anything is served.
  using FindShared = std::function<std::optional<SharedTurn>(const web::Caller&, std::string_view message)>;
  void find_shared_turns_by(FindShared find) { find_shared_ = std::move(find); }
  // The models that a user's groups allow; nothing: all. Set before anything is served.
  using ModelsOfGroups = std::function<std::optional<std::vector<std::string>>(store::UserId)>;
  void limit_models_by(ModelsOfGroups models) { models_of_groups_ = std::move(models); }

  // `call` has its user, agent, key and time set.
  Bounds bounds_of(const Payer&, const usage::Call& call) const;
  // The error for a call that exceeds the limit `met`: QUOTA_EXCEEDED, BUDGET_EXCEEDED or CAP_REACHED.
  web::Error refusal(const Bounds&, const usage::Limit& met, const usage::Call&) const;

  // Called for every refusal, from any thread, with the name of the limit: the cap's id (of a cap that each agent has,
  // with the agent), or the key's. Set before anything is served.
  using Refused = std::function<void(const usage::Call&, const std::string& limit, const web::Error&)>;
  void when_refused(Refused refused) { refused_ = std::move(refused); }

  // Whether this x-user-email names an administrator.
  bool is_admin(std::string_view email) const;

 private:
  web::Error quota_exceeded(const usage::Limit& quota, const usage::Limit& met, const usage::Call&) const;

  const accounts::Accounts& accounts_;
  const keys::Keys& keys_;
  const Subscriptions& subscriptions_;
  const Caps& caps_;
  const usage::Ledger& ledger_;
  const credits::Credits& credits_;
  const std::vector<std::string> admin_emails_;
  Refused refused_;
  FindShared find_shared_;
  ModelsOfGroups models_of_groups_;
};

}  // namespace billing
