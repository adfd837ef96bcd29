#include "appliance/hosting/agents/account_claim.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/agents/routes.h"
#include "appliance/hosting/module.h"

namespace agents {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.billing.caps.forget(user, std::move(agent));
    });
    module.identity.identities.when_claimed(
        {.claim = [system = module.platform.system](store::UserId user,
                                                    store::Change& change) { claim(system, user, change); },
         .claimed = [&module](store::UserId user) { module.agents.lifecycle.run_committed_jobs(user); }});
  }
  Services services() { return {hosting.agents}; }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(records), store::describe(jobs)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace agents
