// Plans, caps and the usage ledger: the services that its capabilities and other modules share, built in order, and the
// capabilities themselves.
#pragma once

#include "appliance/billing/capabilities.h"
#include "appliance/billing/credits/credits.h"
#include "appliance/billing/referrals/referrals.h"
#include "appliance/billing/spans/recorder.h"
#include "appliance/billing/spending/cap_policy.h"
#include "appliance/billing/spending/caps.h"
#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/module.h"

namespace billing {

class Module {
 public:
  // Both must outlive this.
  Module(const agentbox::Platform&, identity::Module&);

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }

  const agentbox::Platform& platform;
  identity::Module& identity;

  Subscriptions subscriptions;
  usage::Ledger ledger;
  spans::Recorder spans;
  credits::Credits credits;
  referrals::Referrals referrals;
  Caps caps;
  SpendPolicy spend_policy;
  CapPolicy cap_policy;
  spent_credentials::SpentCredentials spent_credentials;

 private:
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace billing
