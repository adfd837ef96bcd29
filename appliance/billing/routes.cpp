#include "appliance/billing/routes.h"

#include "appliance/accounts/user_id.h"
#include "web/endpoint.h"

namespace billing {

namespace {

struct Deploy {
  web::Text<1, 20> userId;
  Plan plan;
};
BOOST_DESCRIBE_STRUCT(Deploy, (), (userId, plan))

struct Deployed {
  bool success = true;
  std::string subscriptionId;
  Plan plan;
  std::string status;
};
BOOST_DESCRIBE_STRUCT(Deployed, (), (success, subscriptionId, plan, status))

}  // namespace

std::vector<web::Route> routes(Subscriptions& service, const agentbox::Guards& guards) {
  auto deploy = [&service](web::Request&, Deploy wanted) -> web::Task<web::Result<web::Response>> {
    const auto user = accounts::parse_user_id(wanted.userId);
    if (!user) co_return web::invalid("userId must be a user's id");
    const auto subscription = co_await service.deploy(*user, wanted.plan);
    if (!subscription) co_return subscription.error();
    const Deployed answer{
        .subscriptionId = subscription->subscription_id, .plan = subscription->plan, .status = subscription->status};
    co_return web::reply(answer, 200);
  };
  return {
      {web::POST, "/api/subscriptions/deploy", guards.internal_key, nullptr,
       web::body<Deploy>(deploy).returns<Deployed>(), "Activate a plan for a user"},
  };
}

}  // namespace billing
