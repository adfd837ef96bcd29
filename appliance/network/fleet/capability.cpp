#include "appliance/network/fleet/routes.h"
#include "appliance/network/module.h"

namespace fleet {

namespace {

struct Parts {
  explicit Parts(network::Module& given)
      : network(given), costs(given.platform.system, given.billing.ledger, given.payments.transfers.rules) {
    network.bus.when_accepted([&spans = given.billing.spans](store::UserId owner, std::string from, std::string to) {
      spans.count_message(owner, std::move(from), std::move(to));
    });
  }

  Services services() {
    return {.souls = network.souls,
            .traces = network.traces,
            .costs = costs,
            .negotiation = network.negotiation,
            .system = network.platform.system,
            .web_url = network.hosting.web_url()};
  }
  web::Task<> stop() { return network.load_sampler.stop(); }

  network::Module& network;
  Costs costs;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace fleet
