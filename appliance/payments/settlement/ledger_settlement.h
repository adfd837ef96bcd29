#pragma once

#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/settlement/settlement.h"
#include "appliance/payments/wallets/wallets.h"

namespace settlement {

// Pays from and to wallets of the box, on its ledger: all shares of an order in one change, at once.
class LedgerSettlement final : public Settlement {
 public:
  // Both must outlive this.
  LedgerSettlement(ledger::Ledger& ledger, const wallets::Wallets& wallets) : ledger_(ledger), wallets_(wallets) {}

  std::string network() const override { return "ledger"; }
  web::Task<web::Result<Progress>> settle(Order) override;

 private:
  ledger::Ledger& ledger_;
  const wallets::Wallets& wallets_;
};

}  // namespace settlement
