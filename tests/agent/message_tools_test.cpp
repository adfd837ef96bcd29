// The agent's tools for the bus: what it sends is signed with its own key, and what it reads is marked as read.
#include <gmock/gmock.h>

#include "appliance/agent/tools/toolbox.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/jcs.h"
#include "appliance/runtime/bus_identity.h"
#include "tests/support/scripted_server.h"

namespace message_tools_test {

using namespace test_support;
using testing::HasSubstr;

class MessageTools : public testing::Test {
 protected:
  boost::json::object run(std::string name, std::string arguments) {
    const auto result = await(toolbox.run({.id = "c", .name = std::move(name), .arguments = std::move(arguments)}));
    return boost::json::parse(result.content).as_object();
  }

  ScriptedServer box{[](const Received& request) {
    if (request.target == "/api/agent-messages/read") return http(200, R"({"success":true,"marked":2})");
    if (request.method == "GET")
      return http(200, R"({"messages":[{"id":7,"action":"GREETING"},{"id":9,"action":"NOTE"}],"count":2})");
    if (request.json().at("action") == "NOWHERE") return http(404, R"({"error":"No such agent"})");
    return http(200, R"({"success":true,"messageId":"m"})");
  }};
  agent_process::Toolbox toolbox{agent_process::message_tools(box.url(), "ag_1", "the-box-token")};
};

TEST_F(MessageTools, SignWithTheKeyOfTheAgent) {
  EXPECT_EQ(run("send_message", R"({"to":"ag_2","action":"GREETING","payload":{"b":1.0,"a":"x"}})").at("success"),
            true);
  auto message = box.received().back().json().as_object();
  EXPECT_EQ(message.at("from"), "ag_1");
  EXPECT_EQ(message.at("to"), "ag_2");
  EXPECT_EQ(message.at("keyId").as_string(), runtime::own_bus_key_id);
  const std::string signature(message.at("signature").as_string());
  message.erase("signature");
  ASSERT_TRUE(signature.starts_with("ed25519:"));
  const auto bytes = crypto::from_base64url(signature.substr(signature.find(':') + 1)).value();
  const auto text = crypto::canonical_json(message).value();
  EXPECT_TRUE(crypto::verify_ed25519(runtime::own_bus_key("the-box-token").public_key(), text, bytes));
  EXPECT_FALSE(crypto::verify_ed25519(runtime::own_bus_key("another-token").public_key(), text, bytes));
}

TEST_F(MessageTools, ReportRefusalsToTheModel) {
  EXPECT_EQ(run("send_message", R"({"to":"ag_2","action":"NOWHERE"})").at("error"), "No such agent");
  EXPECT_THAT(run("send_message", R"({"to":"../x","action":"A"})").at("error").as_string().c_str(), HasSubstr("to "));
  EXPECT_THAT(run("send_message", R"({"action":"A","payload":{"n":9007199254740993}})").at("error").as_string().c_str(),
              HasSubstr("payload"));
}

TEST_F(MessageTools, MarkWhatTheyHaveReadAfterwards) {
  EXPECT_EQ(run("read_messages", R"({"limit":2})").at("count"), 2);
  const auto asked = box.received();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].target, "/api/agent-messages?limit=2");
  EXPECT_THAT(asked[0].head, HasSubstr("Authorization: Bearer the-box-token"));
  EXPECT_EQ(asked[1].json(), boost::json::parse(R"({"ids":[7,9]})"));
}

}  // namespace message_tools_test
