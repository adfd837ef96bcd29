#include "appliance/box/status/handlers.h"

#include <algorithm>

#include "appliance/box/console/handlers.h"
#include "store/store.h"
#include "web/console_assets.h"

namespace status {

web::Answer show_status(const Services& services, const web::Request&) {
  if (!services.is_public) co_return web::not_found();
  StatusView answer{.parts = parts_of(services.checks), .timestamp = store::now()};
  answer.status = overall(answer.parts);
  co_return web::reply(answer);
}

web::Answer show_page(const Services& services, const web::Request& request) {
  const auto assets = web::console_assets();
  const auto page = std::ranges::find(assets, std::string_view("/index.html"), &web::Asset::path);
  if (!services.is_public || page == assets.end()) co_return web::not_found();
  co_return co_await console::serve_asset(*page, console::Caching::revalidate, request);
}

}  // namespace status
