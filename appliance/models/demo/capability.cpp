#include "appliance/models/demo/routes.h"
#include "appliance/models/module.h"

namespace models::demo {

namespace {

// The setting was checked when it was read.
usage::Money money_of(const std::string& dollars) { return usage::Money::parse(dollars).value(); }

struct Parts {
  explicit Parts(Module& module) : Parts(module, module.platform.settings) {}
  Parts(Module& module, const agentbox::Settings& settings)
      : demo(module.gateway, settings.demo_chat, {settings.demo_daily_tokens, money_of(settings.demo_daily_usd)}) {}
  Services services() { return {demo}; }
  Demo demo;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace models::demo
