#include "appliance/payments/ledger/routes.h"
#include "appliance/payments/module.h"

namespace ledger {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module) {}
  Services services() {
    return {payments.ledger, payments.hosting.agents.directory, payments.hosting.identity.audit,
            payments.platform.blocking};
  }

  payments::Module& payments;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>(
      {.tables = {store::describe(transfers), store::describe(entries)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace ledger
