#include "appliance/hosting/agent_files/routes.h"
#include "appliance/hosting/module.h"

namespace agent_files {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : files(module.platform.system, module.agents.directory, module.uploads, module.platform.folder.agents()) {}
  Services services() { return {files}; }
  AgentFiles files;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace agent_files
