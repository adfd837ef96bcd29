#include "appliance/box/status/routes.h"

#include "appliance/box/status/handlers.h"
#include "web/routes/endpoint.h"

namespace status {

namespace {

const web::RateLimit rate{.group = "status", .limit = 60};

constexpr auto text =
    "Whether the parts of the box work: up or degraded. The box itself; its store (degraded: it is read-only); the "
    "model providers (one is not used at the moment, since it failed); the engine that runs agents. Reasons and "
    "figures are for administrators. 404 unless the setting STATUS_PAGE is on.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& open = guards.none;
  return {
      {web::GET, "/api/status", open, &rate, web::plain(on(show_status)).returns<StatusView>().describe(text),
       "Whether the parts of the box work"},
      {web::GET, "/status", open, nullptr,
       web::plain(on(show_page)).describe("404 unless the setting STATUS_PAGE is on."), "The status page"},
  };
}

}  // namespace status
