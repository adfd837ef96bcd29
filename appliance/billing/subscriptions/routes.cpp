#include "appliance/billing/subscriptions/routes.h"

#include "appliance/billing/subscriptions/plan_choice.h"
#include "appliance/identity/accounts/user_id.h"
#include "web/endpoint.h"

namespace billing {

namespace {

struct Deploy {
  web::Text<1, 20> userId, plan;
};
BOOST_DESCRIBE_STRUCT(Deploy, (), (userId, plan))

struct Deployed {
  bool success = true;
  std::string subscriptionId;
  Plan plan;
  std::string status;
};
BOOST_DESCRIBE_STRUCT(Deployed, (), (success, subscriptionId, plan, status))

struct Credits {
  std::int64_t credits = 0;
};
BOOST_DESCRIBE_STRUCT(Credits, (), (credits))

}  // namespace

std::vector<web::Route> web_routes(const accounts::Accounts& accounts, const agentbox::Guards& guards) {
  auto balance = [&accounts](web::Request& request) -> web::Task<web::Result<web::Response>> {
    const Credits answer{.credits = accounts.credits_of(request.caller.user_id)};
    co_return web::reply(answer);
  };
  return {
      {web::GET, "/api/credits", guards.session, nullptr, web::plain(balance).returns<Credits>(), "One's credits"},
  };
}

std::vector<web::Route> routes(Subscriptions& service, audit::Audit& audit, const agentbox::Guards& guards) {
  auto deploy = [&service, &audit](web::Request& request, Deploy wanted) -> web::Task<web::Result<web::Response>> {
    const auto user = accounts::parse_user_id(wanted.userId);
    if (!user) co_return web::invalid("userId must be a user's id");
    const auto plan = plan_of_request(wanted.plan, "plan");
    if (!plan) co_return plan.error();
    auto entry = audit::of_request(request, "plan " + std::string(to_string(*plan)) + " deployed", "");
    entry.user_id = *user;
    const auto subscription = co_await service.deploy(*user, *plan);
    if (!subscription) entry.outcome = subscription.error().message;
    co_await audit.note(std::move(entry));
    if (!subscription) co_return subscription.error();
    const Deployed answer{
        .subscriptionId = subscription->subscription_id, .plan = subscription->plan, .status = subscription->status};
    co_return web::reply(answer, 200);
  };
  return {
      {web::POST, "/api/subscriptions/deploy", guards.internal_key, nullptr,
       web::body<Deploy>(deploy).returns<Deployed>().describe(
           "`plan`: label, solo, collective or network; 402 (PLAN_REQUIRED) for the deprecated free."),
       "Activate a plan for a user"},
  };
}

}  // namespace billing
