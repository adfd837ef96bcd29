#include "appliance/foundation/periodic.h"
#include "appliance/identity/module.h"
#include "web/log.h"

namespace keys {

namespace {

using namespace std::chrono_literals;

struct Services {};  // the rows are those of billing, which knows what keys have cost

struct Parts {
  explicit Parts(identity::Module& module)
      : keys(module.keys),
        uses(module.platform.home, "key uses", 30s, [&module] { return module.keys.flush_uses(); }) {}

  Services services() { return {}; }
  web::Task<> start() {
    uses.start();
    co_return;
  }
  web::Task<> stop() {
    co_await uses.stop();
    try {
      co_await keys.flush_uses();
    } catch (const std::exception& error) {  // a read-only store must not prevent an orderly stop
      web::log::warning("key_uses_not_written", {{"reason", std::string(error.what())}});
    }
  }

  Keys& keys;
  agentbox::Periodic uses;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.tables = {store::describe(api_keys)}}); }

}  // namespace keys
