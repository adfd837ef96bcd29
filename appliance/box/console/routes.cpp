
#include "appliance/box/console/handlers.h"
#include "web/console_assets.h"
#include "web/routes/endpoint.h"

namespace console {

namespace {

constexpr std::string_view page = "/index.html", assets = "/assets/", worker = "/worker.js";

// The addresses of web/console/src/app/pages.ts. The page finds out by itself what is shown at each; /status is
// the status capability's.
constexpr std::string_view addresses[] = {"/",
                                          "/login",
                                          "/dashboard",
                                          "/settings",
                                          "/usage",
                                          "/usage/:tab",
                                          "/agents/:id",
                                          "/agents/:id/:page",
                                          "/admin/:page",
                                          "/fleet",
                                          "/fleet/:tab",
                                          "/fleet/:tab/:id",
                                          "/wallet",
                                          "/wallet/:tab",
                                          "/skills",
                                          "/skills/:id",
                                          "/images",
                                          "/feeds",
                                          "/feeds/:id",
                                          "/media",
                                          "/media/:tab",
                                          "/playground",
                                          "/chats",
                                          "/schedules",
                                          "/admin",
                                          "/asks",
                                          "/ask",
                                          "/credentials",
                                          "/settings/:page",
                                          "/oauth/authorize",
                                          "/shared",
                                          "/shared/:id",
                                          "/shared/:id/:page",
                                          "/templates"};

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>&) {
  const auto& open = guards.none;
  std::vector<web::Route> table;
  for (const web::Asset& asset : web::console_assets()) {
    const bool is_page = asset.path == page, is_worker = asset.path == worker;
    if (!is_page && !is_worker && !asset.path.starts_with(assets)) continue;
    const auto caching = is_page || is_worker ? Caching::revalidate : Caching::forever;
    const auto handler = [&asset, caching](web::Request& request) { return serve_asset(asset, caching, request); };
    if (is_page) {
      for (const auto path : addresses)
        table.push_back({web::GET, std::string(path), open, nullptr, web::plain(handler), "Page of the console"});
    } else {
      table.push_back({web::GET, std::string(asset.path), open, nullptr, web::plain(handler), "File of the console"});
    }
  }
  return table;
}

}  // namespace console
