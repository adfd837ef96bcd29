#include "appliance/network/fleet/costs.h"

#include <algorithm>
#include <map>

namespace fleet {

std::vector<Cost> Costs::of(store::UserId user, const std::optional<usage::Period>& month) const {
  const auto months = month ? std::vector{*month} : months_with_usage(user);
  std::map<std::string, usage::Money> by_agent;
  usage::Money without_agent;
  for (const auto& each : months) {
    without_agent += ledger_.totals(user, each).cost + ledger_.own_key_totals(user, each).cost;
    for (const auto& [agent, totals] : ledger_.totals_by(user, usage::slice::agents, each)) {
      by_agent[agent] += totals.cost;
      without_agent = without_agent - totals.cost;
    }
  }
  by_agent[""] += without_agent;
  std::vector<Cost> costs;
  for (const auto& [agent, spent] : by_agent)
    if (spent.units() > 0) costs.push_back({.agent = agent, .spent = spent, .category = model_calls});
  std::ranges::stable_sort(costs, std::ranges::greater(), &Cost::spent);
  return costs;
}

// One seek for each month: names begin with theirs.
std::vector<usage::Period> Costs::months_with_usage(store::UserId user) const {
  const auto tenant = system_.tenant(user);
  std::vector<usage::Period> months;
  for (std::string after;;) {
    const auto next = tenant.list(usage::names, {.limit = 1, .after = after});
    if (next.empty()) return months;
    const auto name = next.front().id.substr(0, next.front().id.find('/'));
    if (auto month = usage::Period::month_named(name)) months.push_back(std::move(*month));
    after = name + "/\x7f";
  }
}

}  // namespace fleet
