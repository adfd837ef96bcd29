// Cloning: a copy of one of the caller's agents, paid for once on a box that can verify payments.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/hosting/agents/agent_provisioning.h"
#include "appliance/hosting/agents/lifecycle.h"
#include "appliance/hosting/chat/conversations.h"
#include "appliance/hosting/cloning/payment_lookup.h"
#include "appliance/hosting/cloning/payment_proof.h"
#include "appliance/hosting/gate/turns.h"
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

// What makes a clone of a point in its parent's past.
struct ForkParts {
  agents::AgentLifecycle& lifecycle;
  chat::Conversations& conversations;
  gate::TurnTracker& turns;
};

// Callable from every thread. Its arguments must outlive it.
class Cloning {
 public:
  // `is_wallet_of`: whether a wallet, in lower case, is linked to the user's account.
  using IsWalletOf = std::function<bool(store::UserId, std::string_view address)>;
  Cloning(store::System system, agents::AgentProvisioning& provisioning, ForkParts parts, PaymentLookup& lookup,
          spent_credentials::SpentCredentials& spent, Rules rules, IsWalletOf is_wallet_of)
      : system_(std::move(system)),
        provisioning_(provisioning),
        parts_(parts),
        lookup_(lookup),
        spent_(spent),
        rules_(rules),
        is_wallet_of_(std::move(is_wallet_of)) {}

  Terms terms() const;
  // The payment is marked as used in the commit that creates the agent, or not at all. A free clone needs no proof; one
  // that is given is checked by its form, and not used up. Errors are those of checked(), PaymentLookup::confirm and
  // AgentProvisioning::clone; invalid without a proof of a payment; payment_required with PAYMENT_ALREADY_USED or
  // PAYMENT_BY_ANOTHER; unavailable with PAYMENTS_NOT_VERIFIED while clones are off.
  // `message`: one of the owner's in a conversation with the parent; the clone then begins with files, memory and that
  // conversation as they were before it. Empty: it begins empty. Also the errors of chat::Conversations::write_fork.
  web::Task<web::Result<Clone>> clone(web::Caller, std::string name, agents::CloneOrigin, std::optional<PaymentProof>,
                                      std::string message);
  // The same without a payment, for an operator; the agent's owner gets the clone.
  web::Task<web::Result<agents::Agent>> fork(agents::Agent parent, std::string name, std::string message);
  // Lower case; empty if payments are not looked up on their chain.
  const std::string& payment_receiver() const { return lookup_.receiver(); }

 private:
  // The payment of a proof, of an agent's clone by this user, once it is found on its chain.
  web::Task<web::Result<Payment>> verify(const PaymentProof&, store::UserId, const std::string& parent);

  // Starts it once it has what the parent had before the message.
  web::Task<web::Result<agents::Agent>> fill(agents::Agent clone, std::string message, std::string fork);

  store::System system_;
  agents::AgentProvisioning& provisioning_;
  const ForkParts parts_;
  PaymentLookup& lookup_;
  spent_credentials::SpentCredentials& spent_;
  const Rules rules_;
  const IsWalletOf is_wallet_of_;
};

}  // namespace cloning
