#include "appliance/payments/ledger/leaving.h"

#include <stdexcept>

namespace ledger {

std::optional<web::Error> obstacle_to_leaving(const Ledger& ledger, store::UserId user,
                                              const std::vector<agents::AgentSummary>& agents) {
  auto left = ledger.balance(of_user(user));
  for (const auto& agent : agents) left += ledger.balance(of_agent(user, agent.id));
  if (!left.is_positive()) return std::nullopt;
  auto obstacle = web::conflict("There are " + left.to_string() +
                                " USDC of yours on this box's ledger: transfer them, or have an administrator pay them "
                                "out");
  obstacle.code = "BALANCE_LEFT";
  return obstacle;
}

web::Task<> return_balance(Ledger& ledger, store::UserId owner, std::string agent) {
  const auto account = of_agent(owner, agent);
  const auto balance = ledger.balance(account);
  if (owner == 0 || !balance.is_positive()) co_return;
  // An agent is removed once; the balance is part of the reference in case money arrives and the cleanup is repeated.
  Order order{.reference = "removed/" + agent + "/" + balance.to_string(),
              .from = account,
              .to = of_user(owner),
              .amount = balance,
              .memo = "Balance of a removed agent"};
  const auto returned = co_await ledger.transfer(std::move(order));
  if (!returned) throw std::runtime_error("the balance of agent " + agent + ": " + returned.error().message);
}

}  // namespace ledger
