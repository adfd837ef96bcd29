#include "appliance/hosting/heartbeat/routes.h"
#include "appliance/hosting/module.h"

namespace heartbeat {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : heartbeats(module.platform.system, module.schedule.tasks, module.schedule.zones) {}
  Services services() { return {heartbeats}; }
  Heartbeats heartbeats;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace heartbeat
