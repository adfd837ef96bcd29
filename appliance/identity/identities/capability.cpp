#include "appliance/identity/identities/personal_data.h"
#include "appliance/identity/identities/records.h"
#include "appliance/identity/identities/routes.h"
#include "appliance/identity/module.h"

namespace identities {

namespace {

struct Parts {
  explicit Parts(identity::Module& module)
      : own(module.platform.system, module.accounts, module.sessions, module.second_factor, module.audit) {
    module.personal_data.add(personal_data_of(module.platform.system));
  }
  Services services() { return {own}; }
  OwnIdentities own;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(identities), store::describe(blocked_identities)}, .web = web_routes});
}

}  // namespace identities
