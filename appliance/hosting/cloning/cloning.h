// Cloning: a copy of one of the caller's agents, paid for once.
#pragma once

#include <string>

#include "appliance/hosting/agents/agent_provisioning.h"
#include "appliance/hosting/cloning/payment_lookup.h"
#include "appliance/hosting/cloning/payment_proof.h"
#include "store/store.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace cloning {

struct Clone {
  agents::Agent agent;
  Payment payment;
};

// Callable from every thread. Its arguments must outlive it.
class Cloning {
 public:
  Cloning(store::System system, agents::AgentProvisioning& provisioning, PaymentLookup& lookup)
      : system_(std::move(system)), provisioning_(provisioning), lookup_(lookup) {}

  // The payment is marked as used in the commit that creates the agent, or not at all. Errors are those of checked(),
  // PaymentLookup::confirm and AgentProvisioning::clone; payment_required with PAYMENT_ALREADY_USED.
  web::Task<web::Result<Clone>> clone(web::Caller, std::string name, agents::Descent, PaymentProof);
  // Lower case; empty if payments are not looked up on their chain.
  const std::string& payment_receiver() const { return lookup_.receiver(); }

 private:
  store::System system_;
  agents::AgentProvisioning& provisioning_;
  PaymentLookup& lookup_;
};

}  // namespace cloning
