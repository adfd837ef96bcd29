#include "appliance/hosting/module.h"
#include "appliance/hosting/watchdog/records.h"

namespace watchdog {

namespace {

struct Services {};

struct Parts {  // the watchdog itself belongs to the agents' supervision
  explicit Parts(hosting::Module&) {}
  Services services() { return {}; }
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.tables = {store::describe(watches)}}); }

}  // namespace watchdog
