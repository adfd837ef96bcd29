// Money that moves: the services that its capabilities share, built in order, and the capabilities themselves.
#pragma once

#include <memory>

#include "appliance/hosting/module.h"
#include "appliance/payments/capabilities.h"
#include "appliance/payments/chains/balances.h"
#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/settlement/settlement.h"
#include "appliance/payments/stripe/checkout.h"
#include "appliance/payments/wallets/wallets.h"
#include "appliance/payments/x402/exact.h"

namespace payments {

class Module {
 public:
  // All of them must outlive this.
  explicit Module(hosting::Module&);

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }

  const agentbox::Platform& platform;
  identity::Module& identity;
  billing::Module& billing;
  models::Module& models;
  hosting::Module& hosting;

  ledger::Ledger ledger;
  wallets::Wallets wallets;
  chains::Networks networks;
  chains::Balances balances;
  const std::unique_ptr<settlement::Settlement> settlement;
  x402::Exact exact;
  const stripe::Checkout checkout;

 private:
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace payments
