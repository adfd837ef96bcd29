#include "tests/identity/people_fixture.h"

namespace billing_test {

using billing::Plan;

class Billing : public people_tests::People {};

TEST_F(Billing, EachDeploymentIsActiveUnderANewId) {
  const auto user = register_as("ada@example.com").value();
  EXPECT_FALSE(subscriptions.active(user.id));
  const auto first = run(subscriptions.deploy(user.id, Plan::solo)).value();
  const auto second = run(subscriptions.deploy(user.id, Plan::network)).value();
  EXPECT_TRUE(first.subscription_id.starts_with("sub_"));
  EXPECT_NE(first.subscription_id, second.subscription_id);
  EXPECT_EQ(subscriptions.active(user.id)->plan, Plan::network);
  EXPECT_FALSE(subscriptions.named(first.subscription_id));
  EXPECT_EQ(subscriptions.named(second.subscription_id)->user_id, user.id);
}

TEST_F(Billing, DeployForAnUnknownUserFails) {
  EXPECT_EQ(run(subscriptions.deploy(4711, Plan::solo)).error().kind, web::Kind::not_found);
}

TEST_F(Billing, ACancelledPlanIsNotActive) {
  const auto user = register_as("ada@example.com").value();
  ASSERT_TRUE(run(subscriptions.deploy(user.id, Plan::solo)));
  run(subscriptions.cancel(user.id));
  EXPECT_FALSE(subscriptions.active(user.id));
  run(subscriptions.cancel(user.id));
  EXPECT_TRUE(run(subscriptions.deploy(user.id, Plan::solo)));
}

TEST(Plans, ThePlansTable) {
  EXPECT_EQ(billing::limits(Plan::label).monthly_price_gbp, 29);
  EXPECT_EQ(billing::limits(Plan::solo).monthly_tokens, 2'000'000);
  EXPECT_EQ(billing::limits(Plan::collective).messages_per_day, 2'000);
  EXPECT_FALSE(billing::limits(Plan::network).monthly_tokens);
}

TEST(Plans, AgentLimitsDifferByRouteAsInTheContract) {
  EXPECT_EQ(billing::web_proxy_limit("starter"), 1);
  EXPECT_EQ(billing::web_proxy_limit("pro"), 3);
  EXPECT_EQ(billing::web_proxy_limit("enterprise"), 100);
  EXPECT_EQ(billing::web_proxy_limit("unheard of"), 1);
  EXPECT_EQ(billing::plan_middleware_limit(Plan::label), 1);
  EXPECT_EQ(billing::plan_middleware_limit(Plan::network), 100);
  EXPECT_EQ(billing::backend_provision_limit(Plan::label), 10);
  EXPECT_EQ(billing::backend_provision_limit(Plan::solo), 1);
  EXPECT_FALSE(billing::backend_provision_limit(Plan::network));
}

TEST(Plans, NamesTiersAndOrder) {
  for (const char* name : {"label", "solo", "collective", "network"})
    EXPECT_EQ(billing::to_string(billing::plan_named(name).value()), name);
  EXPECT_FALSE(billing::plan_named("free"));
  EXPECT_FALSE(billing::plan_named("Solo"));
  EXPECT_EQ(billing::plan_of_tier("starter"), Plan::solo);
  EXPECT_EQ(billing::plan_of_tier("enterprise"), Plan::network);
  EXPECT_FALSE(billing::plan_of_tier("solo"));
  EXPECT_TRUE(billing::covers(Plan::collective, Plan::solo));
  EXPECT_FALSE(billing::covers(Plan::label, Plan::solo));
}

}  // namespace billing_test
