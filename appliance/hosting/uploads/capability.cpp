#include "appliance/hosting/module.h"
#include "appliance/hosting/uploads/routes.h"

namespace uploads {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : Parts(module, module.platform) {}
  Parts(hosting::Module& module, const agentbox::Platform& platform)
      : uploads(platform.system, module.agents.directory, platform.folder.agents(), platform.folder.path(),
                platform.blocking, platform.uploads) {}
  Services services() { return {uploads}; }
  Uploads uploads;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace uploads
