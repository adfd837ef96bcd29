#include "appliance/network/module.h"
#include "appliance/network/traces/routes.h"

namespace traces {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() { return {network.traces}; }

  network::Module& network;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace traces
