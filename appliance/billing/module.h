// Plans, caps and the usage ledger: the parts of the module, built in order.
#pragma once

#include "appliance/billing/mpp/wallets.h"
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

  // Whether a user has this agent, for caps on agents.
  using HasAgent = std::function<bool(store::UserId, std::string_view agent)>;
  agentbox::Rows rows(HasAgent has_agent);
  void start() { old_names_.start(); }
  web::Task<> stop() { return old_names_.stop(); }

 private:
  identity::Module& identity_;

 public:
  Subscriptions subscriptions;
  PlanDirectory plans;
  usage::Ledger ledger;
  Caps caps;
  SpendPolicy spend_policy;
  mpp::Wallets wallets;

 private:
  usage::NameCollector name_collector_;
  agentbox::Periodic old_names_;
};

}  // namespace billing
