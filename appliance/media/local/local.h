// The box's own stream server as the provider of live streams, for boxes without the internet.
//
// The key of a stream is "<playback id>?key=<secret>": broadcasters send it as one text, the server names the files by
// what is before the question mark.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "appliance/media/local/live_set.h"
#include "appliance/media/streams/provider.h"

namespace local {

class Local final : public streams::Provider {
 public:
  struct Options {
    std::filesystem::path recordings;
    std::function<std::string()> web_url, rtmp_url;  // known once the box listens
  };
  explicit Local(Options options) : options_(std::move(options)) {}

  std::string_view name() const override { return "local"; }
  // Also internal, naming the packages, if the server is not installed.
  web::Task<web::Result<streams::ProviderStream>> create(std::string name) override;
  web::Task<web::Result<std::string>> reset_key(std::string id, std::string playback_id) override;
  // The server asks about each broadcast every two seconds, and ends one of a stream that is gone.
  web::Task<web::Result<void>> remove(std::string id) override;
  web::Task<web::Result<std::vector<std::string>>> active() override;
  web::Task<web::Result<void>> remove_asset(std::string id) override;
  std::string rtmp_url() const override { return options_.rtmp_url(); }
  std::string hls_url(std::string_view playback_id) const override;
  std::string embed_url(std::string_view playback_id) const override;
  std::optional<std::int64_t> listeners(std::string_view playback_id) const override;

  LiveSet live;
  Audience audience;

 private:
  const Options options_;
};

// The key of a broadcast, of what the server takes it apart into.
std::string key_of(std::string_view playback_id, std::string_view secret);

// internal, naming the packages, unless nginx and its RTMP module are installed.
web::Result<void> check_server();

}  // namespace local
