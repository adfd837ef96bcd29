#include "appliance/models/demo/routes.h"
#include "appliance/models/module.h"

namespace models::demo {

namespace {

struct Parts {
  explicit Parts(Module& module) : demo(module.gateway, module.platform.settings.demo_daily_tokens) {}
  Services services() { return {demo}; }
  Demo demo;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace models::demo
