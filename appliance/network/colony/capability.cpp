#include "appliance/network/colony/routes.h"
#include "appliance/network/module.h"

namespace colony {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() {
    return {.system = network.platform.system,
            .souls = network.souls,
            .subscriptions = network.billing.subscriptions,
            .engine = network.hosting.engine->name()};
  }

  network::Module& network;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = web_routes}); }

}  // namespace colony
