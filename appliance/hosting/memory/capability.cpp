#include "appliance/hosting/memory/routes.h"
#include "appliance/hosting/module.h"

namespace memory {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : memories(module.agents.directory, module.platform.folder.agents(), module.platform.blocking) {}
  Services services() { return {memories}; }
  Memories memories;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace memory
