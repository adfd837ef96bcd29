#pragma once

#include "appliance/payments/chains/networks.h"
#include "appliance/payments/settlement/settlement.h"
#include "appliance/payments/transactions/sender.h"
#include "appliance/payments/wallets/wallets.h"

namespace settlement {

// Pays from wallets of the box on the main chain: one transaction of USDC for each share, all stored in one change
// before the first is sent. If one of them fails, the others are paid nevertheless, and the order counts as failed with
// a reason that says so.
class ChainSettlement final : public Settlement {
 public:
  // All of them must outlive this.
  ChainSettlement(transactions::Sender& sender, const wallets::Wallets& wallets, chains::Networks& networks,
                  chains::Balances& balances)
      : sender_(sender), wallets_(wallets), networks_(networks), balances_(balances) {}

  std::string network() const override { return networks_.main.caip2(); }
  web::Task<web::Result<Progress>> settle(Order) override;

 private:
  // Why the order cannot be paid; nothing if it can, as far as one can tell before.
  web::Task<web::Result<std::optional<std::string>>> obstacle(const Order& order);

  transactions::Sender& sender_;
  const wallets::Wallets& wallets_;
  chains::Networks& networks_;
  chains::Balances& balances_;
};

}  // namespace settlement
