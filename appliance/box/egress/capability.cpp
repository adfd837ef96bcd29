#include "appliance/box/egress/routes.h"
#include "appliance/box/module.h"
#include "appliance/foundation/periodic.h"

namespace egress {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        ledger(module.platform.system, web::outbound(), module.platform.home,
               [&module](const std::string& agent) { return owner_of(module, agent); }),
        keep(module.platform.home, "egress ledger", 5s, [this] { return ledger.keep(store::now()); }),
        sweep(module.platform.home, "egress ledger", 1h, [this] { return ledger.sweep(store::now()); }) {}

  static std::int64_t owner_of(const box::Module& module, const std::string& id) {
    const auto agent = module.hosting.agents.directory.find(id);
    return agent ? agent->owner : 0;
  }

  Services services() { return {ledger, box.platform.blocking}; }
  web::Task<> start() {
    keep.start();
    sweep.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await keep.stop();
    co_await ledger.keep(store::now());
  }

  box::Module& box;
  EgressLedger ledger;
  agentbox::Periodic keep, sweep;
};

}  // namespace

box::Capability capability() {
  return box::Capability::of<Parts>({.tables = {store::describe(lines)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace egress
