#include "appliance/console/routes.h"

#include "web/console_assets.h"
#include "web/endpoint.h"

namespace console {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

constexpr std::string_view page = "/index.html", assets = "/assets/";
constexpr std::string_view revalidate = "no-cache", for_ever = "public, max-age=31536000, immutable";

// A list of tags, weak ones included, or '*'.
bool names_tag(std::string_view if_none_match, std::string_view tag) {
  return if_none_match == "*" || if_none_match.find(tag) != std::string_view::npos;
}

Answer serve(const web::Asset& asset, std::string_view cache, web::Request& request) {
  web::Response response;
  if (names_tag(request.header("If-None-Match"), asset.etag)) {
    response.status = 304;
  } else {
    response = web::text(std::string(asset.body), std::string(asset.content_type));
  }
  response.set("ETag", std::string(asset.etag)).set("Cache-Control", std::string(cache));
  co_return response;
}

}  // namespace

std::vector<web::Route> routes(const agentbox::Guards& guards) {
  std::vector<web::Route> table;
  for (const web::Asset& asset : web::console_assets()) {
    const bool is_page = asset.path == page;
    if (!is_page && !asset.path.starts_with(assets)) continue;
    const auto handler = [&asset, is_page](web::Request& request) {
      return serve(asset, is_page ? revalidate : for_ever, request);
    };
    if (is_page) {
      for (const char* path : {"/", "/login", "/dashboard"})
        table.push_back({web::GET, path, guards.none, nullptr, web::plain(handler), "The console"});
    } else {
      table.push_back(
          {web::GET, std::string(asset.path), guards.none, nullptr, web::plain(handler), "A file of the console"});
    }
  }
  return table;
}

}  // namespace console
