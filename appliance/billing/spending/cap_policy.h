// Who may set and remove which caps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/agent_directory.h"
#include "appliance/billing/spending/caps.h"
#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/usage/ledger.h"

namespace billing {

// What a cap limits and what of it is used in the current period, including reservations of calls in progress. Only
// the quantities that the cap limits are set.
struct CapUse {
  std::optional<std::int64_t> tokens;
  std::optional<usage::Money> cost;
  store::Time resets_at;
};

// Callable from every thread; the arguments must outlive it.
class CapPolicy {
 public:
  CapPolicy(Caps&, const usage::Ledger&, const SpendPolicy&, const accounts::Accounts&, const keys::Keys&,
            const agentbox::AgentDirectory&);

  // The caps on a user: those set on the user, then those set on the user's plan and its agents.
  std::vector<Cap> caps_of_user(store::UserId) const;
  // The caps on one of the user's agents: those set on the agent, then those that the user's plan has for each agent,
  // as they apply to it. not_found: no such agent.
  web::Result<std::vector<Cap>> caps_of_agent(store::UserId, const std::string& agent) const;
  // Users set caps on themselves, their agents and their keys. invalid, naming the field; not_found: no such agent or
  // key; and the errors of Caps::put.
  web::Task<web::Result<Cap>> set_by_user(store::UserId, Cap) const;
  // forbidden: set by the administrator.
  web::Task<web::Result<void>> remove_by_user(store::UserId, std::string id) const;

  // For the administrator. Without a user: the caps on plans. not_found: no such user.
  web::Result<std::vector<Cap>> caps_for_admin(std::optional<store::UserId>) const;
  web::Task<web::Result<Cap>> set_by_admin(std::optional<store::UserId>, Cap) const;
  web::Task<web::Result<void>> remove_by_admin(std::optional<store::UserId>, std::string id) const;

  // What `user` has used of the cap. User 0: nothing, since a cap on a plan applies to each of its users.
  CapUse use_of(const Cap&, store::UserId user) const;

 private:
  web::Result<void> check_owner(std::optional<store::UserId>) const;
  web::Result<void> check_target(const Cap&) const;

  Caps& caps_;
  const usage::Ledger& ledger_;
  const SpendPolicy& spend_policy_;
  const accounts::Accounts& accounts_;
  const keys::Keys& keys_;
  const agentbox::AgentDirectory& agents_;
};

}  // namespace billing
