// What a user's agents have cost, by agent and category, from the counters of the usage ledger and of wallets'
// payments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/usage/ledger.h"
#include "appliance/payments/transfers/rules.h"
#include "store/store.h"

namespace fleet {

struct Cost {
  std::string agent;  // empty: calls without an agent, such as those with an API key, and the user's own payments
  usage::Money spent;
  std::string_view category;
};

// Categories.
inline constexpr std::string_view model_calls = "ai_metric", wallet_payments = "payment";

class Costs {
 public:
  // All must outlive it.
  Costs(store::System system, const usage::Ledger& ledger, const transfers::SpendRules& payments)
      : system_(std::move(system)), ledger_(ledger), payments_(payments) {}

  // Of this month, or of all time; the highest first. Rows of nothing are left out.
  std::vector<Cost> of(store::UserId, const std::optional<usage::Period>& month) const;

 private:
  std::vector<usage::Period> months_with_usage(store::UserId) const;
  void add_model_calls(store::UserId, const std::vector<usage::Period>& months, std::vector<Cost>&) const;
  void add_payments(store::UserId, std::string_view period, std::vector<Cost>&) const;

  store::System system_;
  const usage::Ledger& ledger_;
  const transfers::SpendRules& payments_;
};

}  // namespace fleet
