#include <gmock/gmock.h>

#include "appliance/runtime/watchdog/channel.h"
#include "appliance/runtime/watchdog/notifier.h"
#include "tests/hosting/agent_fixture.h"
#include "tests/support/scripted_server.h"

namespace watchdog_notifier_test {

using namespace std::chrono_literals;
using namespace watchdog;
using agent_tests::eventually;
using agent_tests::Loop;
using test_support::http;
using test_support::Received;
using test_support::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts(const ScriptedServer& server) {
  std::vector<std::string> found;
  for (const auto& request : server.received()) found.push_back(std::string(request.json().at("text").as_string()));
  return found;
}

class WatchdogNotifier : public testing::Test {
 protected:
  ~WatchdogNotifier() override {
    if (notifier) loop.run(notifier->stop());
    loop.stop();
  }
  void notify(Notice notice, const std::string& agent = "ag_1", const std::string& why = "It does not answer") {
    if (!notifier) notifier = std::make_unique<Notifier>(options, loop.io);
    boost::asio::post(loop.io, boost::asio::use_future([&] { notifier->notify(agent, "Scout", notice, why); })).get();
  }
  static bool got(const ScriptedServer& server, std::size_t count) {
    return eventually([&] { return server.received().size() >= count; });
  }

  Loop loop;
  NotifierOptions options{.first_pause = 1ms, .timeout = 200ms};
  std::unique_ptr<Notifier> notifier;
};

TEST_F(WatchdogNotifier, TheBotSendsToItsChat) {
  ScriptedServer bot({http(200, R"({"ok":true})")});
  options.bot_token = "123:secret";
  options.chat_id = "-1001";
  options.bot_api_url = bot.url();
  notify(Notice::degraded);
  ASSERT_TRUE(got(bot, 1));
  const auto request = bot.received().front();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/bot123:secret/sendMessage");
  EXPECT_EQ(request.json().at("chat_id"), "-1001");
  EXPECT_EQ(request.json().at("text"), "agentbox: the agent Scout (ag_1) is degraded. It does not answer.");
}

TEST_F(WatchdogNotifier, TheWebhookGetsTheSameNews) {
  ScriptedServer chat({http(204, "")});
  options.webhook_url = chat.url() + "/hooks/secret";
  notify(Notice::crash_loop, "ag_1",
         "The agent ended; it ended 3 times within 300 seconds, so it is not started again.");
  ASSERT_TRUE(got(chat, 1));
  EXPECT_EQ(chat.received().front().target, "/hooks/secret");
  EXPECT_THAT(texts(chat).front(), HasSubstr("has been given up. The agent ended; it ended 3 times"));
  EXPECT_EQ(chat.received().front().json().at("content"), chat.received().front().json().at("text"));
}

TEST_F(WatchdogNotifier, AnAgentsNameMentionsNobody) {
  ScriptedServer chat({http(200, "ok")});
  options.webhook_url = chat.url();
  notify(Notice::repaired, "<!everyone>&");
  ASSERT_TRUE(got(chat, 1));
  const auto said = chat.received().front().json();
  EXPECT_THAT(std::string(said.at("text").as_string()), HasSubstr("(&lt;!everyone&gt;&amp;)"));
  EXPECT_EQ(said.at("allowed_mentions").at("parse"), boost::json::array());
}

TEST_F(WatchdogNotifier, WithoutAnAddressNothingIsSent) {
  ScriptedServer bot({http(200, "{}")});
  options.bot_token = "123:secret";  // and no chat
  options.bot_api_url = bot.url();
  notify(Notice::degraded);
  loop.run(notifier->stop());
  EXPECT_TRUE(bot.received().empty());
}

TEST_F(WatchdogNotifier, RepeatedNewsIsSentOncePerInterval) {
  ScriptedServer chat({http(200, "ok")});
  options.webhook_url = chat.url();
  notify(Notice::degraded);
  notify(Notice::degraded);
  notify(Notice::recovered);
  notify(Notice::degraded, "ag_2");
  notify(Notice::degraded);
  loop.run(notifier->stop());
  EXPECT_THAT(texts(chat), ElementsAre(HasSubstr("(ag_1) is degraded"), HasSubstr("(ag_1) is well again"),
                                       HasSubstr("(ag_2) is degraded")));
}

TEST_F(WatchdogNotifier, RepeatedNewsIsSentAgainAfterTheInterval) {
  ScriptedServer chat({http(200, "ok")});
  options.webhook_url = chat.url();
  options.repeat_after = 0ms;
  notify(Notice::degraded);
  notify(Notice::degraded);
  EXPECT_TRUE(got(chat, 2));
}

TEST_F(WatchdogNotifier, TemporaryFailuresAreRetriedInOrder) {
  ScriptedServer chat({http(500, "oh"), http(429, "slowly"), "", http(200, "ok")});
  options.webhook_url = chat.url();
  notify(Notice::degraded);
  notify(Notice::crash_loop);
  ASSERT_TRUE(got(chat, 5));
  EXPECT_THAT(texts(chat), ElementsAre(HasSubstr("degraded"), HasSubstr("degraded"), HasSubstr("degraded"),
                                       HasSubstr("degraded"), HasSubstr("given up")));
}

TEST_F(WatchdogNotifier, ASilentReceiverDelaysOnlyItsOwnChannel) {
  ScriptedServer bot({ScriptedServer::stall}), chat({http(200, "ok")});
  options.bot_token = "123:secret";
  options.chat_id = "-1001";
  options.bot_api_url = bot.url();
  options.webhook_url = chat.url();
  options.tries = 2;
  notify(Notice::degraded);
  notify(Notice::crash_loop);
  EXPECT_TRUE(got(chat, 2));
  EXPECT_TRUE(got(bot, 4)) << "two tries each";
}

TEST_F(WatchdogNotifier, PermanentFailuresAreNotRetried) {
  ScriptedServer chat({http(404, "no such hook"), http(200, "ok")});
  options.webhook_url = chat.url();
  notify(Notice::degraded);
  notify(Notice::crash_loop);
  ASSERT_TRUE(got(chat, 2));
  EXPECT_THAT(texts(chat), ElementsAre(HasSubstr("degraded"), HasSubstr("given up")));
}

TEST_F(WatchdogNotifier, AStoppingBoxDoesNotWaitForRetries) {
  ScriptedServer chat({http(500, "oh")});
  options.webhook_url = chat.url();
  options.first_pause = 1h;
  notify(Notice::degraded);
  notify(Notice::crash_loop);
  ASSERT_TRUE(got(chat, 1));
  loop.run(notifier->stop());
  EXPECT_THAT(texts(chat), ElementsAre(HasSubstr("degraded"), HasSubstr("degraded")));
}

}  // namespace watchdog_notifier_test
