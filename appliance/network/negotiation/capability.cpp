#include "appliance/foundation/periodic.h"
#include "appliance/network/module.h"

namespace negotiation {

namespace {

// No rows: bookings are negotiated over the bus.
struct Services {};

struct Parts {
  explicit Parts(network::Module& module)
      : expiry(module.platform.home, "booking expiry", std::chrono::seconds(1),
               [&module] { return module.negotiation.expire(store::now()); }) {
    module.bus.route("BOOKING_", module.negotiation);
  }
  Services services() { return {}; }
  web::Task<> start() {
    expiry.start();
    co_return;
  }
  web::Task<> stop() { return expiry.stop(); }

  agentbox::Periodic expiry;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts, Services>({.tables = {store::describe(bookings)}});
}

}  // namespace negotiation
