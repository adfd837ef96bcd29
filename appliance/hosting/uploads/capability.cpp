#include "appliance/hosting/module.h"
#include "appliance/hosting/uploads/routes.h"

namespace uploads {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : uploads(module.agents.directory, module.platform.folder.agents(), module.platform.blocking) {}
  Services services() { return {uploads}; }
  Uploads uploads;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace uploads
