#include "appliance/box/console/routes.h"

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

// A browser puts the headers of a 304 in the place of those it kept, so they are the page's own: type, and with it the
// content security policy.
Answer serve(const web::Asset& asset, std::string_view cache, web::Request& request) {
  const bool kept = names_tag(request.header("If-None-Match"), asset.etag);
  auto response = web::text(std::string(kept ? std::string_view() : asset.body), std::string(asset.content_type));
  if (kept) response.status = 304;
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
      for (const char* path : {"/", "/login", "/dashboard", "/settings"})
        table.push_back({web::GET, path, guards.none, nullptr, web::plain(handler), "The console"});
    } else {
      table.push_back(
          {web::GET, std::string(asset.path), guards.none, nullptr, web::plain(handler), "A file of the console"});
    }
  }
  return table;
}

}  // namespace console
