#include "appliance/media/module.h"

#include "appliance/media/local/server_config.h"
#include "appliance/media/mux/mux.h"

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

std::unique_ptr<web::ListeningSocket> open_socket(const agentbox::Settings& settings) {
  return is_local(settings) ? std::make_unique<web::ListeningSocket>(settings.stream_rtmp_listen) : nullptr;
}

}  // namespace

Module::Module(hosting::Module& given_hosting)
    : platform(given_hosting.platform),
      identity(given_hosting.identity),
      billing(given_hosting.billing),
      models(given_hosting.models),
      hosting(given_hosting),
      rtmp_socket(open_socket(platform.settings)),
      local(make_local()),
      hosted_(hosted_provider(platform.settings)),
      streams(platform.system, local ? local.get() : hosted_.get()),
      assets(platform.system, streams),
      capabilities_(media::capabilities(), *this) {}

std::unique_ptr<local::Local> Module::make_local() const {
  if (!rtmp_socket) return nullptr;
  return std::make_unique<local::Local>(
      local::Local::Options{.recordings = folder() / "server" / local::recordings_folder,
                            .web_url = [this] { return hosting.web_url(); },
                            .rtmp_url = [this] { return rtmp_url(); }});
}

// A server that listens on every address is reached by the name of the web listener.
std::string Module::rtmp_url() const {
  if (!platform.settings.stream_rtmp_url.empty()) return platform.settings.stream_rtmp_url;
  const std::string url = rtmp_socket->url();
  const auto port = url.substr(url.rfind(':'));
  const auto& listen = platform.settings.stream_rtmp_listen;
  const bool is_everywhere = listen.starts_with("0.0.0.0:") || listen.starts_with("[::]:");
  const std::string host = is_everywhere ? identity.site.host() : listen.substr(0, listen.rfind(':'));
  return "rtmp://" + host + port + "/" + std::string(local::application);
}

}  // namespace media
