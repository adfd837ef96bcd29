#include "appliance/billing/subscriptions/routes.h"

#include "appliance/billing/subscriptions/handlers.h"
#include "web/routes/endpoint.h"

namespace billing::plans {

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/subscriptions/deploy", guards.backend.users, nullptr,
       web::body<Deployment>(on(deploy_plan))
           .returns<Deployed>()
           .describe("`plan`: " + plan_names(" or ") + "; 402 (PLAN_REQUIRED) for the deprecated free."),
       "Activate a plan for a user"},
  };
}

}  // namespace billing::plans
