#include "appliance/identity/module.h"
#include "appliance/identity/token_gating/routes.h"

namespace token_gating {

namespace {

struct Parts {
  explicit Parts(identity::Module& module) : identity(module) {}
  Services services() { return {identity.gating}; }
  identity::Module& identity;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace token_gating
