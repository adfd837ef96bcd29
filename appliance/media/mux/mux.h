// Mux as the provider of live streams: https://docs.mux.com/api-reference
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "appliance/media/streams/provider.h"

namespace mux {

struct Options {
  std::string api_url;                 // with or without /video/v1 at its end
  std::string token_id, token_secret;  // secret
  std::string rtmp_url = {};           // empty: Mux's own
};

class Mux final : public streams::Provider {
 public:
  explicit Mux(Options);

  std::string_view name() const override { return "mux"; }
  web::Task<web::Result<streams::ProviderStream>> create(std::string name) override;
  web::Task<web::Result<std::string>> reset_key(std::string id, std::string playback_id) override;
  web::Task<web::Result<void>> remove(std::string id) override;
  web::Task<web::Result<std::vector<std::string>>> active() override;
  web::Task<web::Result<void>> remove_asset(std::string id) override;
  std::string rtmp_url() const override;
  std::string hls_url(std::string_view playback_id) const override;
  std::string embed_url(std::string_view playback_id) const override;
  std::optional<std::int64_t> listeners(std::string_view) const override { return std::nullopt; }

 private:
  // The `data` of the answer; null for one without a body and, with `may_be_unknown`, for a 404.
  web::Task<web::Result<boost::json::value>> call(std::string method, std::string path, std::string body = {},
                                                  bool may_be_unknown = false) const;

  std::string base_;  // with /video/v1
  const std::string authorization_, rtmp_url_;
};

}  // namespace mux
