#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/payments/module.h"
#include "appliance/payments/stripe/leaving.h"
#include "appliance/payments/stripe/records.h"
#include "appliance/payments/stripe/routes.h"

namespace payments::stripe {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(Module& module)
      : payments(module),
        events(module.platform.system, module.checkout.prices(), module.billing.subscriptions, module.billing.credits,
               module.identity.audit, module.identity.outbox, module.identity.site, module.platform.home),
        sweep(module.platform.home, "stripe events", 1h, [this] { return events.sweep(store::now()); }) {
    auto part = personal_data::rows_of(module.platform.system, received_payments, customers);
    part.obstacle = [system = module.platform.system](store::UserId user) { return obstacle_to_leaving(system, user); };
    module.identity.personal_data.add(std::move(part));
  }

  Services services() { return {payments.checkout, events, payments.platform.settings.stripe_webhook_secret}; }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  Module& payments;
  Events events;
  agentbox::Periodic sweep;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>({.tables = {store::describe(customers), store::describe(stripe_subscriptions),
                                           store::describe(received_events), store::describe(received_payments)},
                                .web = web_routes});
}

}  // namespace payments::stripe
