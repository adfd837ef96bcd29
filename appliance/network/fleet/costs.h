// What a user's agents have cost, by agent and category, from the counters of the usage ledger.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/usage/ledger.h"
#include "store/store.h"

namespace fleet {

struct Cost {
  std::string agent;  // empty: calls without an agent, such as those with an API key
  usage::Money spent;
  std::string_view category;
};

// Categories.
inline constexpr std::string_view model_calls = "ai_metric";

class Costs {
 public:
  // Both must outlive it.
  Costs(store::System system, const usage::Ledger& ledger) : system_(std::move(system)), ledger_(ledger) {}

  // Of this month, or of all time; the highest first. Rows of nothing are left out.
  std::vector<Cost> of(store::UserId, const std::optional<usage::Period>& month) const;

 private:
  std::vector<usage::Period> months_with_usage(store::UserId) const;

  store::System system_;
  const usage::Ledger& ledger_;
};

}  // namespace fleet
