#include "appliance/network/colony/routes.h"

#include "appliance/network/colony/handlers.h"
#include "web/routes/endpoint.h"

namespace colony {

namespace {

constexpr const char* status_text =
    "`tree` has all of your agents by descent: each has `children`, its clones. soul.state is that of the liveliest "
    "soul of the fleet (GET /api/mission-control/fleet/graph), offline without one. `limits` are those of your plan. "
    "diagnostics.problems has a sentence for each agent that failed or does not answer.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/colony/status", guards.session, nullptr,
       web::plain(on(show_status)).returns<Status>().describe(status_text), "Your agents by descent, and how they are"},
  };
}

}  // namespace colony
