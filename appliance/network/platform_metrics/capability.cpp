#include "appliance/network/module.h"
#include "appliance/network/platform_metrics/routes.h"

namespace platform_metrics {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() {
    return {.system = network.platform.system, .ledger = network.billing.ledger, .recorder = network.billing.spans};
  }

  network::Module& network;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = web_routes}); }

}  // namespace platform_metrics
