// Cloning: a copy of one of the caller's agents, paid for once.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/hosting/agents/agent_provisioning.h"
#include "appliance/hosting/cloning/payment_lookup.h"
#include "appliance/hosting/cloning/payment_proof.h"
#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace cloning {

struct Clone {
  agents::Agent agent;
  Payment payment;
  bool is_verified = false;  // on its chain; otherwise only the form of the payment was checked
};

struct Rules {
  bool only_verified = false;  // without a chain nothing is cloned
  bool only_own = false;       // the payer must be the caller
};

// Callable from every thread. Its arguments must outlive it.
class Cloning {
 public:
  // `is_wallet_of`: whether a wallet, in lower case, is linked to the user's account.
  using IsWalletOf = std::function<bool(store::UserId, std::string_view address)>;
  Cloning(store::System system, agents::AgentProvisioning& provisioning, PaymentLookup& lookup,
          spent_credentials::SpentCredentials& spent, Rules rules, IsWalletOf is_wallet_of)
      : system_(std::move(system)),
        provisioning_(provisioning),
        lookup_(lookup),
        spent_(spent),
        rules_(rules),
        is_wallet_of_(std::move(is_wallet_of)) {}

  // The payment is marked as used in the commit that creates the agent, or not at all. Errors are those of checked(),
  // PaymentLookup::confirm and AgentProvisioning::clone; payment_required with PAYMENT_ALREADY_USED or
  // PAYMENT_BY_ANOTHER; unavailable with PAYMENTS_NOT_VERIFIED.
  web::Task<web::Result<Clone>> clone(web::Caller, std::string name, agents::Descent, PaymentProof);
  // Lower case; empty if payments are not looked up on their chain.
  const std::string& payment_receiver() const { return lookup_.receiver(); }

 private:
  store::System system_;
  agents::AgentProvisioning& provisioning_;
  PaymentLookup& lookup_;
  spent_credentials::SpentCredentials& spent_;
  const Rules rules_;
  const IsWalletOf is_wallet_of_;
};

}  // namespace cloning
