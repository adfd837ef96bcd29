#include "appliance/hosting/agents/account_claim.h"
#include "appliance/hosting/agents/personal_data.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/agents/routes.h"
#include "appliance/hosting/module.h"
#include "appliance/identity/key_scopes/key_guards.h"
#include "appliance/identity/personal_data/rows.h"

namespace agents {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.billing.caps.forget(user, std::move(agent));
    });
    module.agents.revocation.when_rotated(
        [this](const audit::Actor& actor, const Agent& agent) { return audit_rotation(actor, agent); });
    module.identity.sessions.when_all_ended(
        [&module](store::UserId user) { return module.agents.revocation.sessions_ended(user); });
    module.identity.personal_data.add(
        personal_data_of(module.platform.system, module.agents, module.platform.folder.agents()));
    module.identity.identities.when_claimed(
        {.claim = [system = module.platform.system](store::UserId user,
                                                    store::Change& change) { claim(system, user, change); },
         .claimed = [&module](store::UserId user) { module.agents.lifecycle.run_committed_jobs(user); }});
  }
  Services services() {
    return {hosting.agents, [system = hosting.platform.system](const web::Caller& caller) {
              return agentbox::agents_of(system, caller);
            }};
  }
  web::Task<> audit_rotation(const audit::Actor& actor, const Agent& agent) {
    return hosting.identity.audit.note(audit::entry_by(actor, "gateway token replaced", agent.id));
  }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(records), store::describe(jobs)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace agents
