#include "appliance/hosting/module.h"
#include "appliance/hosting/watchdog/records.h"
#include "appliance/identity/personal_data/rows.h"

namespace watchdog {

namespace {

struct Services {};

struct Parts {  // the watchdog itself belongs to the agents' supervision
  explicit Parts(hosting::Module& module) {
    module.identity.personal_data.add(personal_data::hidden_rows_of(module.platform.system, watches));
  }
  Services services() { return {}; }
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.tables = {store::describe(watches)}}); }

}  // namespace watchdog
