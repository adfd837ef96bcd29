#include "appliance/payments/module.h"
#include "appliance/payments/x402/routes.h"

namespace x402 {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : facilitator(module.exact, module.billing.spent_credentials) {}
  Services services() { return {facilitator}; }
  Facilitator facilitator;
};

}  // namespace

payments::Capability capability() { return payments::Capability::of<Parts>({.web = web_routes}); }

}  // namespace x402
