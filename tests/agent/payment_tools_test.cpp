#include <gmock/gmock.h>

#include "appliance/agent/tools/toolbox.h"
#include "tests/support/scripted_server.h"

namespace payment_tools_test {

using namespace test_support;
using testing::HasSubstr;

TEST(PaymentTools, PayThroughTheBoxWithTheTokenOfTheAgent) {
  ScriptedServer box{[](const Received& request) {
    if (request.method == "GET") return http(200, R"({"wallet":{"balance":"7"}})");
    if (request.json().at("amount") == "100") return http(402, R"({"error":"The balance is too low"})");
    return http(200, R"({"id":"tr_1","state":"confirmed"})");
  }};
  const agent_process::Toolbox toolbox{agent_process::payment_tools(box.url(), "the-box-token")};
  const auto run = [&](std::string name, std::string arguments) {
    const auto result = await(toolbox.run({.id = "c", .name = std::move(name), .arguments = std::move(arguments)}));
    return boost::json::parse(result.content).as_object();
  };
  EXPECT_EQ(run("pay_usdc", R"({"to":"0x12","amount":"2.5","reference":"rent"})").at("state"), "confirmed");
  const auto asked = box.received().back();
  EXPECT_EQ(asked.target, "/api/agent-payments");
  EXPECT_THAT(asked.head, HasSubstr("Authorization: Bearer the-box-token"));
  EXPECT_EQ(asked.json(), boost::json::parse(R"({"to":"0x12","amount":"2.5","idempotencyKey":"rent"})"));
  EXPECT_EQ(run("pay_usdc", R"({"to":"0x12","amount":"100"})").at("error"), "The balance is too low");
  EXPECT_EQ(run("show_wallet", "{}").at("wallet").at("balance"), "7");
}

}  // namespace payment_tools_test
