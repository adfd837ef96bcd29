#include "appliance/identity/module.h"
#include "appliance/identity/sign_in_methods/routes.h"

namespace sign_in_methods {

namespace {

struct Parts {
  explicit Parts(identity::Module& module) : identity(module) {}
  Services services() { return {identity.platform.settings}; }
  identity::Module& identity;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace sign_in_methods
