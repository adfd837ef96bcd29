// Plans, caps and the usage ledger: the parts of the module, built in order.
#pragma once

#include "appliance/billing/mpp/wallets.h"
#include "appliance/billing/spending/cap_policy.h"
#include "appliance/billing/spending/caps.h"
#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/subscriptions/plan_directory.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/billing/usage/name_collector.h"
#include "appliance/identity/module.h"

namespace billing {

class Module {
 public:
  Module(const agentbox::Platform&, identity::Module&);

  agentbox::Rows rows(CapPolicy::HasAgent has_agent);
  void start() { name_collection_.start(); }
  web::Task<> stop() { return name_collection_.stop(); }

 private:
  identity::Module& identity_;
  CapPolicy::HasAgent has_agent_;  // set by rows()

 public:
  Subscriptions subscriptions;
  PlanDirectory plan_directory;
  usage::Ledger ledger;
  Caps caps;
  SpendPolicy spend_policy;
  CapPolicy cap_policy;
  mpp::Wallets wallets;

 private:
  usage::NameCollector name_collector_;
  agentbox::Periodic name_collection_;
};

}  // namespace billing
