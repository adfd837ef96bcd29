#include "appliance/foundation/crypto/hmac.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/media/module.h"
#include "appliance/media/videos/routes.h"

namespace videos {

namespace {

struct Parts {
  explicit Parts(media::Module& module)
      : hosting(module.hosting),
        blocking(module.platform.blocking),
        videos(module.platform.system, module.platform.home, module.platform.blocking,
               {.folder = module.folder(),
                .quota = std::int64_t(module.platform.settings.video_storage_mb) << 20,
                .disk_reserve = module.platform.settings.disk_reserve,
                .allow_private = module.platform.settings.summarizer_allow_private,
                .bucket = bucket::Bucket::configured(module.platform.settings)}),
        links(crypto::derived_key(module.platform.master_key, "video links"),
              module.platform.settings.video_url_lifetime) {
    auto part = personal_data::rows_of(module.platform.system, videos::videos);
    part.erase = [this](store::UserId user) -> web::Task<> {
      for (const auto& video : videos.list(user)) static_cast<void>(co_await videos.remove(user, video.id));
    };
    module.identity.personal_data.add(std::move(part));
  }
  Services services() { return {videos, links, hosting.web_url(), blocking}; }
  web::Task<> start() { return videos.start(); }
  web::Task<> stop() { return videos.stop(); }

  hosting::Module& hosting;
  boost::asio::thread_pool& blocking;
  Videos videos;
  Links links;
};

}  // namespace

media::Capability capability() {
  return media::Capability::of<Parts>(
      {.tables = {store::describe(videos)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace videos
