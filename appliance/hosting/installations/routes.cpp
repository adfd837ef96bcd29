#include "appliance/hosting/installations/routes.h"

#include "appliance/hosting/installations/handlers.h"

namespace installations {

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/validate-key", guards.installation_key, nullptr,
       web::plain(on(validate_key)).returns<KeyAnswer>(), "The user and the plan of an API key"},
      {web::POST, "/api/register-home", guards.backend.users, nullptr,
       web::body<RegisterRequest>(on(register_home))
           .returns<RegisterAnswer>()
           .describe("Registering again replaces the mode. `gatewayToken` is accepted and not used."),
       "Register an installation"},
      {web::POST, "/api/register-link", guards.backend.users, nullptr,
       web::body<RegisterRequest>(on(register_link))
           .returns<RegisterAnswer>()
           .describe("Like register-home, with the mode `link` whatever the body says."),
       "Register an installation in Link mode"},
      {web::GET, "/api/installations", guards.backend.users, nullptr,
       web::query<InstallationQuery>(on(list_installations))
           .returns<InstallationList>()
           .describe("`inactive` after three times INSTALLATION_HEARTBEAT_INTERVAL without a heartbeat. By userId; at "
                     "most `limit` "
                     "(10,000 by default) after the userId `after`. `next` is the `after` of the next page, or null."),
       "Registered installations"},
      {web::POST, "/api/heartbeat", guards.none, nullptr,
       web::body<HeartbeatRequest>(on(record_heartbeat))
           .returns<HeartbeatAnswer>()
           .describe("The answer is the same whether or not an installation is registered for this userId."),
       "Heartbeat of an installation"},
  };
}

}  // namespace installations
