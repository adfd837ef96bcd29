#include "appliance/payments/transfers/return_balance.h"

#include <stdexcept>

namespace transfers {

web::Task<> return_balance(ledger::Ledger& ledger, store::UserId owner, std::string agent) {
  const auto account = ledger::of_agent(owner, agent);
  const auto balance = ledger.balance(account);
  if (owner == 0 || !balance.is_positive()) co_return;
  // An agent is removed once; the balance is part of the reference in case money arrives and the cleanup is repeated.
  ledger::Order order{.reference = "removed/" + agent + "/" + balance.to_string(),
                      .from = account,
                      .to = ledger::of_user(owner),
                      .amount = balance,
                      .memo = "Balance of a removed agent"};
  const auto returned = co_await ledger.transfer(std::move(order));
  if (!returned) throw std::runtime_error("the balance of agent " + agent + ": " + returned.error().message);
}

}  // namespace transfers
