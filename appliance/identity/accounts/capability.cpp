#include "appliance/foundation/periodic.h"
#include "appliance/identity/accounts/administration.h"
#include "appliance/identity/accounts/records.h"
#include "appliance/identity/accounts/routes.h"
#include "appliance/identity/accounts/self_service.h"
#include "appliance/identity/kept_keys.h"
#include "appliance/identity/module.h"
#include "appliance/identity/personal_data/rows.h"

namespace accounts {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        self_service(module.accounts, module.sessions, module.second_factor, module.sign_in, module.devices,
                     module.verification, module.audit),
        administration(module.platform.system, module.accounts, module.sessions, module.second_factor, module.audit),
        sweep(module.platform.home, "sessions", 10min,
              [&module]() -> web::Task<> { co_await module.sessions.sweep(store::now()); }) {
    module.personal_data.add({.write = [&module](store::UserId user, personal_data::Archive& archive) -> web::Task<> {
      const auto found = module.accounts.find(user);
      if (!found) co_return;
      std::string profile = boost::json::serialize(personal_data::exported(*found)) + "\n";
      co_await archive.add("profile.json", std::move(profile));
    }});
  }

  Services services() {
    return {identity.accounts, identity.sessions, self_service,
            administration,    identity.plans(),  identity.platform.blocking};
  }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  identity::Module& identity;
  SelfService self_service;
  Administration administration;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(users), store::describe(sessions), store::describe(session_origins),
                  store::describe(identity::kept_keys)},
       .web = web_routes,
       .backend = backend_routes});
}

}  // namespace accounts
