#include "appliance/network/hosting_mcp/routes.h"
#include "appliance/network/module.h"

namespace hosting_mcp {

namespace {

struct Parts {
  explicit Parts(network::Module&) {}
  Services services() { return {}; }
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace hosting_mcp
