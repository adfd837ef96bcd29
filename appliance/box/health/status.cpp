#include "appliance/box/health/status.h"

#include <algorithm>

#include "appliance/box/console/handlers.h"
#include "store/store.h"
#include "web/console_assets.h"

namespace status {

std::vector<Part> parts_of(const Checks& checks) {
  const auto state = [](bool works) { return works ? State::up : State::degraded; };
  return {{.name = "box", .state = State::up},
          {.name = "store", .state = state(checks.store_works())},
          {.name = "models", .state = state(checks.models_work())},
          {.name = "agents", .state = state(checks.agents_work())}};
}

State overall(const std::vector<Part>& parts) {
  const bool all_up = std::ranges::all_of(parts, [](const Part& part) { return part.state == State::up; });
  return all_up ? State::up : State::degraded;
}

namespace {

// Both are 404 unless STATUS_PAGE is on.
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

const web::RateLimit rate{.group = "status", .limit = 60};

constexpr auto status_description =
    "Whether the parts of the box work: up or degraded. The box itself; its store (degraded: it is read-only); the "
    "model providers (one is not used at the moment, since it failed); the engine that runs agents. Reasons and "
    "figures are for administrators. 404 unless the setting STATUS_PAGE is on.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& open = guards.none;
  return {
      {web::GET, "/api/status", open, &rate,
       web::plain(on(show_status)).returns<StatusView>().describe(status_description),
       "Whether the parts of the box work"},
      {web::GET, "/status", open, nullptr,
       web::plain(on(show_page)).describe("404 unless the setting STATUS_PAGE is on."), "The status page"},
  };
}

}  // namespace status
