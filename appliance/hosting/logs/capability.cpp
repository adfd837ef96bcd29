#include "appliance/hosting/logs/routes.h"
#include "appliance/hosting/module.h"

namespace logs {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.agents.when_removed([&module](store::UserId, std::string agent) -> web::Task<> {
      module.log_hub.end(agent, std::nullopt);
      co_return;
    });
    module.identity.sessions.when_all_ended([&module](store::UserId user) -> web::Task<> {
      for (const auto& agent : module.agents.directory.list(user)) module.log_hub.end(agent.id, reader_name(user));
      co_return;
    });
    // Log streams that the previous holder of an account reads end.
    module.identity.identities.when_claimed({.claim = {}, .claimed = [&module](store::UserId user) {
                                               for (const auto& agent : module.agents.directory.list(user))
                                                 module.log_hub.end(agent.id, std::nullopt);
                                             }});
  }
  Services services() { return {hosting.log_hub, *hosting.engine, hosting.agents.directory}; }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace logs
