#include "appliance/network/module.h"
#include "appliance/network/otlp/routes.h"

namespace otlp {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() { return {network.billing.spans}; }

  network::Module& network;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace otlp
