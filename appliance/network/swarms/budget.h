// What the agents of a swarm spend, and what the caps leave them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/usage/ledger.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace swarms {

// Thread-safe. Both arguments must outlive it.
class Budget {
 public:
  Budget(const billing::SpendPolicy& policy, const usage::Ledger& ledger) : policy_(policy), ledger_(ledger) {}

  // What these agents have cost since the start of the month of `since`: all of their model calls, whoever asked for
  // them.
  usage::Money spent(store::UserId, const std::vector<std::string>& agents, store::Time since) const;
  // What the caps of the user and of these agents leave: the least of all; nothing if no cap is in money. Errors are
  // those of a model call: SUBSCRIPTION_REQUIRED; CAP_REACHED if a cap leaves nothing.
  web::Result<std::optional<usage::Money>> left(web::Caller, const std::vector<std::string>& agents) const;

 private:
  const billing::SpendPolicy& policy_;
  const usage::Ledger& ledger_;
};

}  // namespace swarms
