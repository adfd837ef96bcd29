#include "appliance/billing/subscriptions/handlers.h"

#include "appliance/access/records.h"
#include "appliance/billing/subscriptions/plan_choice.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace billing::plans {

namespace {

web::Answer deploy_plan(const Services& services, const web::Request& request, Deployment body) {
  const auto user = accounts::parse_user_id(body.userId);
  if (!user) co_return web::invalid("userId must be a user's id");
  const auto plan = plan_of_request(body.plan, "plan");
  if (!plan) co_return plan.error();
  auto entry = audit::of_request(request, "plan " + std::string(to_string(*plan)) + " deployed", "");
  entry.user_id = *user;
  const auto subscription = co_await services.subscriptions.deploy(*user, *plan);
  if (!subscription) entry.outcome = subscription.error().message;
  co_await services.audit.note(std::move(entry));
  if (!subscription) co_return subscription.error();
  const Deployed answer{
      .subscriptionId = subscription->subscription_id, .plan = subscription->plan, .status = subscription->status};
  co_return web::reply(answer, 200);
}

}  // namespace

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
