#include "appliance/agent/delegation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agent/agent_process_fixture.h"

namespace agent_process::tests {
namespace delegation_test {

using namespace test_support;
using ::testing::HasSubstr;
namespace json = boost::json;

class DelegationTest : public ::testing::Test {
 protected:
  TemporaryFolder folder;
};

// Each sub-agent reads its file and answers with it. None of them sees the conversation or the others.
TEST_F(DelegationTest, SubAgentsWorkSideBySideAndCountTowardsTheTurn) {
  ScriptedServer server([](const Received& request) {
    const auto messages = request.json().at("messages").as_array();
    const std::string last(messages.back().at("content").as_string());
    if (messages.back().at("role") == "tool") return says("It says: " + last);
    return calls("read_file", R"({"path":")" + last + R"("})");
  });
  Workspace workspace(folder.path());
  ASSERT_TRUE(workspace.write("a.txt", "heron"));
  ASSERT_TRUE(workspace.write("b.txt", "crane"));
  boost::asio::thread_pool files(1);
  const ModelClient model(server.url(), "box-token", "vendor/model");
  const Toolbox toolbox(file_tools(workspace, files));
  Delegation delegation(model, toolbox, "You are a sub-agent of Scout.");
  const auto tools = delegation.tools();
  const auto answer = test_support::await(tools.at(0).run(json::parse(R"({"tasks":["a.txt","b.txt","none.txt"]})")));
  ASSERT_TRUE(answer) << answer.error().message;
  const auto& results = answer->at("results").as_array();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_THAT(std::string(results[0].at("answer").as_string()), HasSubstr("heron"));
  EXPECT_THAT(std::string(results[1].at("answer").as_string()), HasSubstr("crane"));
  EXPECT_THAT(std::string(results[2].at("answer").as_string()), HasSubstr("no such file"));
  EXPECT_EQ(results[0].at("rounds"), 2);
  EXPECT_EQ(delegation.take_usage().total(), 6 * 15);
  EXPECT_EQ(delegation.take_usage().total(), 0);
  for (const auto& request : server.received()) {
    EXPECT_THAT(system_prompt_of(request), HasSubstr("You are a sub-agent of Scout."));
    EXPECT_THAT(request.body, ::testing::Not(HasSubstr("\"delegate\""))) << "one level deep";
  }
  EXPECT_FALSE(test_support::await(tools.at(0).run(json::parse(R"({"tasks":["1","2","3","4","5"]})"))));
}

TEST_F(DelegationTest, ASubAgentSumsUpAtItsLimit) {
  ScriptedServer server([](const Received& request) {
    return request.json().as_object().contains("tools") ? calls("list_files", "{}") : says("Half of it.");
  });
  Workspace workspace(folder.path());
  boost::asio::thread_pool files(1);
  const ModelClient model(server.url(), "box-token", "vendor/model");
  const Toolbox toolbox(file_tools(workspace, files));
  Delegation delegation(model, toolbox, "You are a sub-agent.", {.max_rounds = 3});
  const auto tools = delegation.tools();
  const auto answer = test_support::await(tools.at(0).run(json::parse(R"({"tasks":["everything"]})")));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->at("results").at(0).at("answer"), "Half of it.");
  EXPECT_EQ(server.received().size(), 3u);
}

TEST_F(DelegationTest, SubAgentsShareWhatTheTurnHasLeft) {
  ScriptedServer server([](const Received& request) {
    return request.json().as_object().contains("tools") ? calls("list_files", "{}") : says("Half of it.");
  });
  Workspace workspace(folder.path());
  boost::asio::thread_pool files(1);
  const ModelClient model(server.url(), "box-token", "vendor/model");
  const Toolbox toolbox(file_tools(workspace, files));
  Delegation delegation(model, toolbox, "You are a sub-agent.");
  const auto tools = delegation.tools();
  const auto ask = [&] { return test_support::await(tools.at(0).run(json::parse(R"({"tasks":["one","two"]})"))); };
  delegation.allow(120, std::chrono::steady_clock::time_point::max());
  const auto answer = ask();
  ASSERT_TRUE(answer);
  for (const auto& result : answer->at("results").as_array()) {
    EXPECT_EQ(result.at("answer"), "Half of it.");
    EXPECT_EQ(result.at("rounds"), 3) << "two calls of 15 tokens are a quarter of 120";
  }
  delegation.allow(80, std::chrono::steady_clock::time_point::max());
  EXPECT_THAT(ask().error().message, HasSubstr("no tokens left")) << "it has used 90 in this round";
  static_cast<void>(delegation.take_usage());
  delegation.allow(120, std::chrono::steady_clock::now());
  EXPECT_THAT(std::string(ask()->at("results").at(0).at("error").as_string()), HasSubstr("in time"));
}

}  // namespace delegation_test
}  // namespace agent_process::tests
