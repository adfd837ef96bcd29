#include "appliance/identity/identities/personal_data.h"
#include "appliance/identity/identities/records.h"
#include "appliance/identity/module.h"

namespace identities {

namespace {

struct Services {};

struct Parts {  // the rows are those of the sign-in methods
  explicit Parts(identity::Module& module) { module.personal_data.add(personal_data_of(module.platform.system)); }
  Services services() { return {}; }
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(identities), store::describe(blocked_identities)}});
}

}  // namespace identities
