// Cloning: a copy of one of the caller's agents, paid for once on a box that can verify payments.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <optional>
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
  std::optional<Payment> payment;  // verified on its chain; not set: the clone was free
};

// What clones cost here.
BOOST_DEFINE_ENUM_CLASS(Terms,
                        payment,  // a payment, which is looked up on its chain
                        free,     // nothing: there is no chain
                        off)      // there are no clones

struct Rules {
  bool is_free_without_chain = true;  // else there are no clones without one
  bool only_own = false;              // the payer must be the caller
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

  Terms terms() const;
  // The payment is marked as used in the commit that creates the agent, or not at all. A free clone needs no proof; one
  // that is given is checked by its form, and not used up. Errors are those of checked(), PaymentLookup::confirm and
  // AgentProvisioning::clone; invalid without a proof of a payment; payment_required with PAYMENT_ALREADY_USED or
  // PAYMENT_BY_ANOTHER; unavailable with PAYMENTS_NOT_VERIFIED while clones are off.
  web::Task<web::Result<Clone>> clone(web::Caller, std::string name, agents::CloneOrigin, std::optional<PaymentProof>);
  // Lower case; empty if payments are not looked up on their chain.
  const std::string& payment_receiver() const { return lookup_.receiver(); }

 private:
  // The payment of a proof, of an agent's clone by this user, once it is found on its chain.
  web::Task<web::Result<Payment>> verify(const PaymentProof&, store::UserId, const std::string& parent);

  store::System system_;
  agents::AgentProvisioning& provisioning_;
  PaymentLookup& lookup_;
  spent_credentials::SpentCredentials& spent_;
  const Rules rules_;
  const IsWalletOf is_wallet_of_;
};

}  // namespace cloning
