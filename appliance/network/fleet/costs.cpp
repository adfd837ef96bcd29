#include "appliance/network/fleet/costs.h"

#include <algorithm>
#include <map>

#include "appliance/payments/wallets/wallets.h"

namespace fleet {

namespace {

constexpr std::string_view agent_wallet = "agent/";
constexpr std::size_t max_wallets = 10'000;
// A unit of usage::Money is 10^-12 dollars, one of payments::Usdc 10^-6.
constexpr std::int64_t units_of_micro = 1'000'000;

}  // namespace

std::vector<Cost> Costs::of(store::UserId user, const std::optional<usage::Period>& month) const {
  std::vector<Cost> costs;
  add_model_calls(user, month ? std::vector{*month} : months_with_usage(user), costs);
  add_payments(user, month ? std::string_view(month->name()) : transfers::all_time, costs);
  std::ranges::stable_sort(costs, std::ranges::greater(), &Cost::spent);
  return costs;
}

void Costs::add_model_calls(store::UserId user, const std::vector<usage::Period>& months,
                            std::vector<Cost>& costs) const {
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
  for (const auto& [agent, spent] : by_agent)
    if (spent.units() > 0) costs.push_back({.agent = agent, .spent = spent, .category = model_calls});
}

// A dollar for each USDC. Test networks cost nothing.
void Costs::add_payments(store::UserId user, std::string_view period, std::vector<Cost>& costs) const {
  for (const auto& wallet : system_.tenant(user).list(wallets::wallets_table, {.limit = max_wallets})) {
    const bool is_agents = wallet.id.starts_with(agent_wallet);
    if (!is_agents && wallet.id != wallets::user_wallet) continue;
    const auto spent = payments_.cost(user, wallet.id, period);
    if (spent.micro() <= 0) continue;
    costs.push_back({.agent = is_agents ? wallet.id.substr(agent_wallet.size()) : "",
                     .spent = usage::Money::of_units(spent.micro() * units_of_micro),
                     .category = wallet_payments});
  }
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
