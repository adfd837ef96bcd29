#include "appliance/foundation/periodic.h"
#include "appliance/hosting/module.h"
#include "appliance/hosting/storage_watch/storage_watch.h"

namespace storage_watch {

namespace {

using namespace std::chrono_literals;

struct Services {};

struct Parts {
  explicit Parts(hosting::Module& module)
      : watch(module.platform.system, module.agents.directory, module.agents.lifecycle, *module.engine,
              module.platform.folder.agents(), {module.platform.folder.path(), module.platform.settings.disk_reserve},
              module.platform.blocking),
        rounds(module.platform.home, "storage_watch", 1s, [this] { return watch.look(); }) {}
  Services services() { return {}; }
  web::Task<> start() {
    rounds.start();
    co_return;
  }
  web::Task<> stop() { return rounds.stop(); }

  StorageWatch watch;
  agentbox::Periodic rounds;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({}); }

}  // namespace storage_watch
