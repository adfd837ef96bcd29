#include "appliance/identity/module.h"
#include "appliance/identity/sign_in/routes.h"

namespace sign_in {

namespace {

struct Parts {
  explicit Parts(identity::Module& module) : identity(module) {}
  Services services() { return {identity.sign_in}; }
  identity::Module& identity;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace sign_in
