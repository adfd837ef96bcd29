#include "appliance/box/console/handlers.h"

namespace console {

namespace {

// `if_none_match` is a list of tags, weak ones included, or '*'.
bool names_tag(std::string_view if_none_match, std::string_view tag) {
  return if_none_match == "*" || if_none_match.find(tag) != std::string_view::npos;
}

}  // namespace

web::Task<web::Result<web::Response>> serve_asset(const web::Asset& asset, Caching caching,
                                                  const web::Request& request) {
  const bool is_cached = names_tag(request.header("If-None-Match"), asset.etag);
  // A 304 has the page's own content type, too: browsers replace the headers they have cached, and the content security
  // policy depends on the type.
  auto response = web::text(std::string(is_cached ? std::string_view() : asset.body), std::string(asset.content_type));
  if (is_cached) response.status = 304;
  response.set("ETag", std::string(asset.etag))
      .set("Cache-Control", caching == Caching::forever ? "public, max-age=31536000, immutable" : "no-cache");
  co_return response;
}

}  // namespace console
