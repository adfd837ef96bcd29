#include "appliance/foundation/periodic.h"
#include "appliance/identity/key_scopes/records.h"
#include "appliance/identity/module.h"
#include "appliance/identity/personal_data/rows.h"
#include "web/log.h"

namespace keys {

namespace {

using namespace std::chrono_literals;

struct Services {};  // the rows are those of billing, which knows what keys have cost

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module), uses(module.platform.home, "uses of keys and sessions", 30s, [this] { return flush(); }) {
    module.personal_data.add(personal_data::rows_of(module.platform.system, api_keys, key_scopes::key_scopes));
  }

  Services services() { return {}; }
  web::Task<> start() {
    uses.start();
    co_return;
  }
  web::Task<> stop() {
    co_await uses.stop();
    try {
      co_await flush();
    } catch (const std::exception& error) {  // a read-only store must not prevent an orderly stop
      web::log::warning("uses_not_written", {{"reason", std::string(error.what())}});
    }
  }

  web::Task<> flush() {
    co_await identity.keys.flush_uses();
    co_await identity.sessions.flush_uses();
  }

  identity::Module& identity;
  agentbox::Periodic uses;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(api_keys), store::describe(key_scopes::key_scopes)}});
}

}  // namespace keys
