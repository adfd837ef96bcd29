// What each capability of this module is built of, and what it brings: its tables, its rows, its background work.
#include "appliance/media/capabilities.h"

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/media/broadcasts/handlers.h"
#include "appliance/media/documents/handlers.h"
#include "appliance/media/local/handlers.h"
#include "appliance/media/module.h"
#include "appliance/media/stream_webhooks/handlers.h"
#include "appliance/media/streams/handlers.h"
#include "appliance/media/videos/handlers.h"

namespace streams {

namespace {

constexpr std::chrono::minutes reconcile_pause{1}, forget_pause{60};

struct Parts {
  explicit Parts(media::Module& module)
      : streams(module.streams),
        nonces(crypto::derived_key(module.platform.master_key, "wallet nonces"), module.identity.replay_guard),
        wallets(nonces, module.identity.rpc, module.identity.identities, module.identity.site),
        gate(wallets, module.identity.gating,
             {.asks_for_tokens = module.platform.settings.stream_token_gating,
              .requires_proof = module.platform.settings.stream_require_proof}),
        reconciler(module.platform.home, "streams", reconcile_pause, [this] { return streams.reconcile(); }),
        sweeper(module.platform.home, "stream_events", forget_pause, [this] { return streams.forget_events(); }) {
    module.identity.events.agent_removed.subscribe([&module](store::UserId user, std::string agent) {
      return module.streams.remove_of_agent(user, std::move(agent));
    });
    auto part = personal_data::rows_of(module.platform.system, streams::streams);
    part.erase = [this](store::UserId user) -> web::Task<> {
      for (const auto& stream : streams.list(user)) static_cast<void>(co_await streams.remove(user, stream.id));
    };
    module.identity.personal_data.add(std::move(part));
  }
  Services services() { return {streams, gate}; }

  web::Task<> start() {
    reconciler.start();
    sweeper.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweeper.stop();
    co_await reconciler.stop();
  }

  Streams& streams;
  wallet_sign_in::Nonces nonces;
  wallet_sign_in::WalletSignIn wallets;
  RadioGate gate;
  agentbox::Periodic reconciler, sweeper;
};

}  // namespace

media::Capability capability() {
  return media::Capability::of<Parts>(
      {.tables = {store::describe(streams), store::describe(stream_events)}, .web = web_routes});
}

}  // namespace streams

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

namespace broadcasts {

namespace {

struct Parts {
  explicit Parts(media::Module& given)
      : module(given),
        broadcasts(
            given.platform.home, given.platform.blocking, given.streams,
            [&given](std::string_view agent) { return given.hosting.files.workspace_of(agent); },
            given.folder() / "air") {
    given.identity.events.agent_removed.subscribe(
        [this](store::UserId, std::string agent) -> web::Task<> { co_await broadcasts.end(std::move(agent)); });
  }
  Services services() { return {broadcasts, module.streams, module.hosting.agents.directory}; }
  web::Task<> start() { return broadcasts.start(); }
  web::Task<> stop() { return broadcasts.stop(); }

  media::Module& module;
  Broadcasts broadcasts;
};

}  // namespace

media::Capability capability() { return media::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace broadcasts

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

namespace documents {

namespace {

struct Parts {
  explicit Parts(media::Module& module)
      : hosting(module.hosting),
        documents(module.platform.home, module.platform.blocking, module.folder() / "documents") {}
  Services services() {
    return {documents, [this](std::string_view agent) { return hosting.files.workspace_of(agent); }};
  }

  hosting::Module& hosting;
  Documents documents;
};

}  // namespace

media::Capability capability() { return media::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace documents

namespace media {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::streams::capability(),    ::stream_webhooks::capability(), ::local::capability(),
      ::broadcasts::capability(), ::videos::capability(),          ::documents::capability(),
  };
}

}  // namespace media
