#include "appliance/billing/subscriptions/routes.h"

#include "appliance/billing/subscriptions/handlers.h"
#include "web/endpoint.h"

namespace billing::plans {

std::vector<web::Route> web_routes(const Services& services) {
  return {
      {web::GET, "/api/credits", services.guards.session, nullptr,
       web::plain(bind(services, show_credits)).returns<Credits>(), "Your credits"},
  };
}

std::vector<web::Route> backend_routes(const Services& services) {
  return {
      {web::POST, "/api/subscriptions/deploy", services.guards.internal_key, nullptr,
       web::body<Deployment>(bind(services, deploy_plan))
           .returns<Deployed>()
           .describe("`plan`: " + plan_names(" or ") + "; 402 (PLAN_REQUIRED) for the deprecated free."),
       "Activate a plan for a user"},
  };
}

}  // namespace billing::plans
