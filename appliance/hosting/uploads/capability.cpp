#include "appliance/hosting/module.h"
#include "appliance/hosting/uploads/routes.h"

namespace uploads {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() { return {hosting.uploads}; }
  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace uploads
