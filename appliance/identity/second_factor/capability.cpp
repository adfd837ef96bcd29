#include "appliance/identity/module.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/identity/second_factor/factor_settings.h"
#include "appliance/identity/second_factor/records.h"
#include "appliance/identity/second_factor/routes.h"

namespace second_factor {

namespace {

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        settings(module.second_factor, module.accounts, module.sessions, module.audit,
                 [&module](const accounts::User& user) { return module.must_enrol(user); }) {
    module.personal_data.add({.erase = [&module](store::UserId user) { return module.second_factor.remove(user); }});
    module.personal_data.add(personal_data::rows_of(module.platform.system, passkeys));
  }
  Services services() { return {settings, identity.site}; }

  identity::Module& identity;
  FactorSettings settings;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(factors), store::describe(passkeys)}, .web = web_routes});
}

}  // namespace second_factor
