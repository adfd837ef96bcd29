#include "appliance/payments/transfers/rules.h"

#include "store/transact.h"

namespace transfers {

namespace {

constexpr std::string_view counter_prefix = "wallet_spent/";

store::CounterName counter_of(std::string_view wallet, std::string_view day) {
  return {std::string(counter_prefix).append(day).append("/").append(wallet)};
}

store::CounterName cost_counter_of(std::string_view wallet, std::string_view period) {
  return {std::string("wallet_cost/").append(period).append("/").append(wallet)};
}

}  // namespace

Rules SpendRules::of(store::UserId owner, std::string_view wallet) const {
  if (auto row = system_.tenant(owner).get(rules_table, wallet)) return std::move(row->value);
  Rules rules{.owner = owner, .id = std::string(wallet)};
  if (wallet.starts_with("agent/")) rules.approval_above = 0;
  return rules;
}

web::Task<Rules> SpendRules::set(Rules rules) {
  const auto tenant = system_.tenant(rules.owner);
  rules.updated_at = store::now();
  const auto step = [&](store::Change& change) {
    store::put(change, tenant, rules_table, rules);
    return true;
  };
  co_await store::transact(tenant, step);
  co_return rules;
}

payments::Usdc SpendRules::spent(store::UserId owner, std::string_view wallet, std::string_view day) const {
  return payments::Usdc::of_micro(system_.counter(owner, counter_of(wallet, day)));
}

payments::Usdc SpendRules::cost(store::UserId owner, std::string_view wallet, std::string_view period) const {
  return payments::Usdc::of_micro(system_.counter(owner, cost_counter_of(wallet, period)));
}

void SpendRules::add_cost(store::Change& change, store::UserId owner, std::string_view wallet, std::string_view day,
                          payments::Usdc amount) const {
  const auto month = day.substr(0, day.rfind('-'));
  for (const auto period : {month, all_time}) change.add(owner, cost_counter_of(wallet, period), amount.micro());
}

void SpendRules::count(store::Change& change, const Rules& rules, std::string_view day, payments::Usdc amount) const {
  change.add(rules.owner, counter_of(rules.id, day), amount.micro(), rules.daily.value_or(payments::Usdc::max_micro));
}

void SpendRules::uncount(store::Change& change, store::UserId owner, std::string_view wallet, std::string_view day,
                         payments::Usdc amount) const {
  change.add(owner, counter_of(wallet, day), -amount.micro());
}

bool SpendRules::is_over_limit(const store::Outcome& outcome) {
  return outcome.kind == store::Outcome::Kind::over_bound && outcome.index.starts_with(counter_prefix);
}

}  // namespace transfers
