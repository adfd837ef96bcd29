// Account claims: the agents are stopped, get new tokens and lose their secrets.
#include "appliance/hosting/agents/account_claim.h"

#include <gmock/gmock.h>

#include "tests/hosting/agent_box.h"

namespace account_claim_test {

using namespace agent_tests;
using agents::Status;
using testing::HasSubstr;

class AccountClaim : public AgentBoxTest {
 protected:
  void claim() {
    auto change = box->system().change();
    agents::claim(box->system(), owner.user_id, change);
    ASSERT_TRUE(change.commit_blocking().ok());
  }
  agents::Agent with_channel(const agents::Agent& agent) {
    agents::Changes changes;
    changes.config =
        boost::json::parse(R"({"systemPrompt": "Be brief.", "channels": {"telegram": {"botToken": "s"}}})").as_object();
    return box->run(box->agents->editor.change({}, agent.owner, agent.id, std::move(changes))).value();
  }
};

TEST_F(AccountClaim, ARunningAgentIsStoppedAndGetsNewTokens) {
  const auto before = with_channel(running("plain"));
  ASSERT_THAT(before.config_secrets.clear, HasSubstr("botToken"));
  claim();
  const auto handed = now(before);
  EXPECT_NE(handed.gateway_token.clear, before.gateway_token.clear);
  EXPECT_FALSE(box->agents->directory.caller_of_box_token(before.box_token.clear)) << "at once, while it still runs";
  EXPECT_TRUE(box->agents->directory.caller_of_box_token(handed.box_token.clear));
  EXPECT_EQ(handed.config_secrets.clear, "");
  EXPECT_EQ(handed.config, boost::json::parse(R"({"systemPrompt": "Be brief.", "channels": {"telegram": {}}})"));

  box->agents->lifecycle.run_committed_jobs(owner.user_id);
  const auto stopped = when(before, Status::stopped);
  EXPECT_THAT(stopped.status_reason, HasSubstr("handed to the owner of its email address"));
  EXPECT_EQ(instance(stopped).state, runtime::State::exited);
  ASSERT_TRUE(box->run(box->agents->lifecycle.start(owner.user_id, before.id)));
  EXPECT_EQ(now(before).status_reason, "");
  EXPECT_TRUE(box->run(box->chat->send(owner.user_id, before.id, "hello"))) << "with the new token";
}

TEST_F(AccountClaim, AfterACrashTheAgentsAreStopped) {
  const auto up = running("plain");
  claim();
  crash_and_come_back();
  EXPECT_THAT(when(up, Status::stopped).status_reason, HasSubstr("handed to the owner"));
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(AccountClaim, AStartBeforeTheStopUsesTheNewTokens) {
  const auto up = running("plain");
  const auto old = instance(up).pid;
  claim();
  ASSERT_TRUE(box->run(box->agents->lifecycle.start(owner.user_id, up.id)));
  EXPECT_EQ(now(up).status, Status::running);
  EXPECT_NE(instance(up).pid, old);
}

TEST_F(AccountClaim, AnAgentThatNeverRanOnlyGetsNewTokens) {
  const auto pending = box->run(box->agents->provisioning.create(owner.user_id, {.name = "plain"})).value();
  claim();
  EXPECT_EQ(now(pending).status, Status::pending);
  EXPECT_NE(now(pending).box_token_hash, pending.box_token_hash);
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(AccountClaim, AnEndedSessionCreatesAndChangesNothing) {
  const auto agent = provision("plain");
  const auto session = box->system().get(accounts::sessions, owner.credential);
  auto ending = box->system().change();
  ending.erase(accounts::sessions, *session);
  ASSERT_TRUE(ending.commit_blocking().ok());
  EXPECT_EQ(try_provision(owner, "plain").error().kind, web::Kind::unauthenticated);
  auto late =
      box->agents->editor.change(owner, owner.user_id, agent.id, {.config = boost::json::object{{"model", "auto"}}});
  EXPECT_EQ(box->run(std::move(late)).error().kind, web::Kind::unauthenticated);
  EXPECT_EQ(box->agents->directory.list(owner.user_id).size(), 1u);
  EXPECT_EQ(now(agent).config, boost::json::object());
}

}  // namespace account_claim_test
