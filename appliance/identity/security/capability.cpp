#include "appliance/foundation/periodic.h"
#include "appliance/identity/module.h"

namespace security {

namespace {

using namespace std::chrono_literals;

struct Services {};

struct Parts {
  explicit Parts(identity::Module& module)
      : sweep(module.platform.home, "replay guard", 10min,
              [&module] { return module.replay_guard.sweep(store::now()); }) {}

  Services services() { return {}; }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.tables = {store::describe(used_once)}}); }

}  // namespace security
