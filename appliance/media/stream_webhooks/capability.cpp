#include "appliance/foundation/periodic.h"
#include "appliance/media/module.h"
#include "appliance/media/stream_webhooks/routes.h"

namespace stream_webhooks {

namespace {

using namespace std::chrono_literals;

constexpr auto deletion_pause = 1s;  // an idle look is one seek

struct Parts {
  explicit Parts(media::Module& module)
      : streams(module.streams),
        assets(module.assets),
        secret(module.platform.settings.stream_signing_secret.empty() ? module.platform.settings.stream_webhook_secret
                                                                      : module.platform.settings.stream_signing_secret),
        deleter(module.platform.home, "stream_assets", deletion_pause, [this] { return assets.delete_due(); }) {}
  Services services() { return {streams, assets, secret}; }

  web::Task<> start() {
    deleter.start();
    co_return;
  }
  web::Task<> stop() { return deleter.stop(); }

  streams::Streams& streams;
  Assets& assets;
  const std::string& secret;
  agentbox::Periodic deleter;
};

}  // namespace

media::Capability capability() {
  return media::Capability::of<Parts>(
      {.tables = {store::describe(assets)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace stream_webhooks
