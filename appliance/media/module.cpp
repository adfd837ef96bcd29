#include "appliance/media/module.h"

#include "appliance/media/local/server_config.h"
#include "appliance/media/mux/mux.h"
#include "appliance/media/programs/programs.h"
#include "web/log.h"
#include "web/server/listening_socket.h"

namespace media {

namespace {

bool is_local(const agentbox::Settings& settings) {
  return settings.stream_local || settings.stream_provider == "local";
}

std::unique_ptr<streams::Provider> hosted_provider(const agentbox::Settings& settings) {
  const bool has_token = !settings.stream_token_id.empty() && !settings.stream_token_secret.empty();
  if (is_local(settings) || !has_token) return nullptr;
  return std::make_unique<mux::Mux>(mux::Options{.api_url = settings.stream_api_url,
                                                 .token_id = settings.stream_token_id,
                                                 .token_secret = settings.stream_token_secret,
                                                 .rtmp_url = settings.stream_rtmp_url});
}

// nginx cannot pick a free port itself.
std::string listen_address(const agentbox::Settings& settings) {
  if (!is_local(settings)) return {};
  const auto& listen = settings.stream_rtmp_listen;
  if (!listen.ends_with(":0")) return listen;
  const std::string url = web::ListeningSocket(listen).url();
  return listen.substr(0, listen.size() - 2) + url.substr(url.rfind(':'));
}

}  // namespace

Module::Module(hosting::Module& given_hosting)
    : platform(given_hosting.platform),
      identity(given_hosting.identity),
      billing(given_hosting.billing),
      models(given_hosting.models),
      hosting(given_hosting),
      rtmp_listen(listen_address(platform.settings)),
      local(make_local()),
      hosted_(hosted_provider(platform.settings)),
      streams(platform.system, local ? local.get() : hosted_.get()),
      assets(platform.system, streams),
      capabilities_(media::capabilities(), *this) {}

web::Task<> Module::start() {
  // Everything of this module on disk lies under it.
  const auto folder = platform.folder.path() / "media";
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  const auto is_installed = [](std::string_view program) { return programs::find(program).has_value(); };
  web::log::info("media_programs", {{"ffmpeg", is_installed("ffmpeg")},
                                    {"espeak-ng", is_installed("espeak-ng")},
                                    {"nginx", is_installed("nginx")},
                                    {"nginx-rtmp", programs::find_rtmp_module().has_value()}});
  co_await capabilities_.start();
}

web::Task<std::optional<deployments::AgentStream>> Module::stream_of(agents::Agent agent) {
  const auto stream = co_await streams.provide(agent.owner, agent.id, agent.name, agent.plan);
  if (!stream) co_return std::nullopt;
  co_return deployments::AgentStream{.id = stream->id, .key = stream->key.clear};
}

std::unique_ptr<local::Local> Module::make_local() const {
  if (rtmp_listen.empty()) return nullptr;
  return std::make_unique<local::Local>(
      local::Local::Options{.recordings = folder() / "server" / local::recordings_folder,
                            .web_url = [this] { return hosting.web_url(); },
                            .rtmp_url = [this] { return rtmp_url(); }});
}

// A server that listens on every address is reached by the name of the web listener.
std::string Module::rtmp_url() const {
  if (!platform.settings.stream_rtmp_url.empty()) return platform.settings.stream_rtmp_url;
  const auto colon = rtmp_listen.rfind(':');
  const std::string address = rtmp_listen.substr(0, colon), port = rtmp_listen.substr(colon);
  const bool is_everywhere = address == "0.0.0.0" || address == "[::]";
  const std::string host = is_everywhere ? identity.site.host() : address;
  return "rtmp://" + host + port + "/" + std::string(local::application);
}

}  // namespace media
