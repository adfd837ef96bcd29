// Money that moves: the services that its capabilities share, built in order, and the capabilities themselves.
#pragma once

#include <memory>

#include "appliance/hosting/module.h"
#include "appliance/payments/acceptance/exact.h"
#include "appliance/payments/acceptance/plugins.h"
#include "appliance/payments/capabilities.h"
#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/splits/settlement.h"
#include "appliance/payments/splits/splits.h"
#include "appliance/payments/stripe/checkout.h"
#include "appliance/payments/transfers/sender.h"
#include "appliance/payments/transfers/transfers.h"
#include "appliance/payments/wallets/balances.h"
#include "appliance/payments/wallets/wallets.h"

namespace payments {

class Module {
 public:
  // All of them must outlive this. The function is called once the box serves.
  Module(hosting::Module&, gateway::PrepareSkill);

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
  transactions::Sender sender;
  const std::unique_ptr<settlement::Settlement> settlement;  // on the chain, or on the ledger of a box without one
  splits::Splits splits;
  transfers::Transfers transfers;
  x402::Exact exact;
  const stripe::Checkout checkout;
  const gateway::PrepareSkill prepare_skill;

 private:
  std::unique_ptr<settlement::Settlement> make_settlement();

  agentbox::RunningCapabilities capabilities_;
};

}  // namespace payments
