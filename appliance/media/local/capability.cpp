#include "appliance/foundation/periodic.h"
#include "appliance/media/local/routes.h"
#include "appliance/media/module.h"

namespace local {

namespace {

using namespace std::chrono_literals;

constexpr auto tidy_pause = 1s;

// Only where the box's own server is the provider.
struct Running {
  explicit Running(media::Module& module)
      : server(module.platform.home, module.platform.blocking, *module.local, module.streams, module.assets,
               {.folder = module.folder() / "server",
                .listen = module.rtmp_listen,
                .records = module.platform.settings.stream_record,
                .segment_bytes = std::uint64_t(module.platform.settings.stream_hls_mb) << 20,
                .disk_reserve = module.platform.settings.disk_reserve}),
        janitor(module.platform.home, "stream_segments", tidy_pause, [this] { return server.tidy(); }) {}

  StreamServer server;
  agentbox::Periodic janitor;
};

struct Parts {
  explicit Parts(media::Module& given) : module(given) {
    if (module.local) running = std::make_unique<Running>(module);
  }
  Services services() {
    return {running ? &running->server : nullptr, module.local.get(), module.streams, module.platform.blocking};
  }
  web::Task<> start() {
    if (!running) co_return;
    co_await running->server.start(module.hosting.backend_url());
    running->janitor.start();
  }
  web::Task<> stop() {
    if (!running) co_return;
    co_await running->janitor.stop();
    co_await running->server.stop();
  }

  media::Module& module;
  std::unique_ptr<Running> running;
};

}  // namespace

media::Capability capability() { return media::Capability::of<Parts>({.web = web_routes, .backend = backend_routes}); }

}  // namespace local
