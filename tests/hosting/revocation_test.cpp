// Gateway tokens end with their owner's sessions, and agents stop with their owner's account.
#include "appliance/hosting/agents/revocation.h"

#include <gmock/gmock.h>

#include "tests/hosting/agent_box.h"
#include "web/routes/reply.h"

namespace revocation_test {

using namespace agent_tests;
using agents::Agent;
using agents::Status;
using testing::HasSubstr;

class Revocation : public AgentBoxTest {
 protected:
  // What the host address answers to the token: 200 stands for the agent's own answer.
  int answer_to(const Agent& agent, const std::string& token) {
    const auto host = agent.subdomain + ".localhost", bearer = "Bearer " + token;
    web::Request request;
    request.target = request.path = "/";
    request.host = host;
    request.headers.push_back({"Authorization", bearer});
    const auto target = box->agents->addresses.host_router()(request);
    EXPECT_TRUE(target);
    return *target ? 200 : web::http_status(target->error().kind);
  }
  void edit_owner(const std::function<void(accounts::User&)>& edit) {
    ASSERT_TRUE(box->run(box->system().modify(accounts::users, owner.user_id, edit)));
  }
  // As accounts::Sessions does, keeping the owner's own session.
  void end_other_sessions() {
    edit_owner([](accounts::User& user) { ++user.sessions_since; });
    const auto keep = [this](accounts::Session& session) { session.moment = sessions_since(); };
    ASSERT_TRUE(box->run(box->system().modify(accounts::sessions, owner.credential, keep)));
  }
  void disable() {
    edit_owner([](accounts::User& user) {
      user.is_disabled = true;
      ++user.sessions_since;
    });
  }
  accounts::SessionEpoch sessions_since() {
    return box->system().get(accounts::users, owner.user_id)->value.sessions_since;
  }
  void settle() {
    box->run([](agents::Revocation& revocation, store::UserId user) -> web::Task<int> {
      co_await revocation.sessions_ended(user);
      co_return 0;
    }(box->agents->revocation, owner.user_id));
  }
  web::Result<Agent> rotate(const web::Caller& caller, const Agent& agent) {
    return box->run(box->agents->revocation.rotate({.caller = caller, .address = ""}, owner.user_id, agent.id));
  }
};

TEST_F(Revocation, ARotatedTokenReplacesTheOldOneInTheRunningAgent) {
  const auto before = running("plain");
  const auto pid = instance(before).pid;
  EXPECT_EQ(answer_to(before, before.gateway_token.clear), 200);
  const auto rotated = rotate(owner, before).value();
  EXPECT_NE(rotated.gateway_token.clear, before.gateway_token.clear);
  EXPECT_EQ(rotated.status, Status::provisioning);
  EXPECT_EQ(answer_to(before, before.gateway_token.clear), 401) << "at once";
  EXPECT_TRUE(box->agents->directory.caller_of_box_token(before.box_token.clear)) << "its running turn goes on";
  const auto after = when(before, Status::running);
  EXPECT_NE(instance(after).pid, pid);
  EXPECT_EQ(answer_to(after, after.gateway_token.clear), 200);
  EXPECT_TRUE(box->run(box->chat->send(owner.user_id, before.id, "hello"))) << "with the new token";
  EXPECT_EQ(box->rotated, std::vector{before.id});
}

TEST_F(Revocation, AStoppedAgentStaysStopped) {
  const auto agent = box->run(box->agents->provisioning.create(owner.user_id, {.name = "plain"})).value();
  const auto rotated = rotate({}, agent).value();
  EXPECT_EQ(rotated.status, Status::pending);
  EXPECT_NE(rotated.gateway_token.clear, agent.gateway_token.clear);
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(Revocation, AnEndedSessionAndAStrangerRotateNothing) {
  const auto agent = box->run(box->agents->provisioning.create(owner.user_id, {.name = "plain"})).value();
  edit_owner([](accounts::User& user) { ++user.sessions_since; });
  EXPECT_EQ(rotate(owner, agent).error().kind, web::Kind::unauthenticated);
  EXPECT_EQ(box->run(box->agents->revocation.rotate({.caller = stranger, .address = ""}, stranger.user_id, agent.id))
                .error()
                .kind,
            web::Kind::not_found);
  EXPECT_EQ(now(agent).gateway_token.clear, agent.gateway_token.clear);
}

TEST_F(Revocation, ARunningAgentKeepsItsTokenWhileProvisioningIsOff) {
  const auto agent = running("plain");
  settings.provisioning_enabled = false;
  crash_and_come_back();
  EXPECT_EQ(rotate(owner, agent).error().kind, web::Kind::internal);
  EXPECT_EQ(answer_to(agent, agent.gateway_token.clear), 200);
  end_other_sessions();
  settle();
  EXPECT_EQ(now(agent).gateway_token.clear, agent.gateway_token.clear) << "the agent has no other";
  EXPECT_EQ(answer_to(agent, agent.gateway_token.clear), 401);
}

TEST_F(Revocation, TheEndOfAllSessionsEndsTheTokens) {
  const auto up = running("plain");
  const auto down = box->run(box->agents->provisioning.create(owner.user_id, {.name = "asleep"})).value();
  end_other_sessions();
  EXPECT_EQ(answer_to(up, up.gateway_token.clear), 401) << "before anything was replaced";
  settle();
  const auto after = when(up, Status::running);
  EXPECT_NE(after.gateway_token.clear, up.gateway_token.clear);
  EXPECT_EQ(answer_to(up, after.gateway_token.clear), 200);
  EXPECT_NE(now(down).gateway_token.clear, down.gateway_token.clear);
  settle();
  EXPECT_EQ(now(up).gateway_token.clear, after.gateway_token.clear) << "once";
  EXPECT_EQ(answer_to(running("later"), after.gateway_token.clear), 401);
}

TEST_F(Revocation, ANewAgentsTokenIsValidAfterEarlierEnds) {
  end_other_sessions();
  const auto agent = running("plain");
  EXPECT_EQ(answer_to(agent, agent.gateway_token.clear), 200);
}

TEST_F(Revocation, ADisabledOwnersAgentsStopAndOpenToNobody) {
  const auto up = running("plain");
  disable();
  EXPECT_EQ(answer_to(up, up.gateway_token.clear), 401) << "while it still runs";
  settle();
  const auto stopped = when(up, Status::stopped);
  EXPECT_THAT(stopped.status_reason, HasSubstr("disabled"));
  EXPECT_EQ(instance(stopped).state, runtime::State::exited);
  EXPECT_FALSE(box->agents->directory.caller_of_box_token(up.box_token.clear));
  EXPECT_EQ(answer_to(up, stopped.gateway_token.clear), 401);

  auto& lifecycle = box->agents->lifecycle;
  EXPECT_EQ(box->run(lifecycle.start(owner.user_id, up.id)).error().kind, web::Kind::forbidden);
  EXPECT_EQ(box->run(lifecycle.restart(owner.user_id, up.id)).error().kind, web::Kind::forbidden);
  EXPECT_EQ(box->run(lifecycle.repair(owner.user_id, up.id)).error().kind, web::Kind::forbidden);
  EXPECT_EQ(box->run(box->agents->provisioning.create(owner.user_id, {.name = "other"})).error().kind,
            web::Kind::forbidden);
  EXPECT_TRUE(box->run(lifecycle.stop(owner.user_id, up.id)));

  edit_owner([](accounts::User& user) { user.is_disabled = false; });
  ASSERT_TRUE(box->run(lifecycle.start(owner.user_id, up.id)));
  EXPECT_EQ(now(up).status_reason, "");
  EXPECT_EQ(answer_to(up, now(up).gateway_token.clear), 200);
}

TEST_F(Revocation, WhatACrashLeftIsDoneAtTheNextStart) {
  const auto up = running("plain");
  disable();
  crash_and_come_back();
  box->run([](agents::Revocation& revocation) -> web::Task<int> {
    co_await revocation.catch_up();
    co_return 0;
  }(box->agents->revocation));
  box->agents->lifecycle.run_committed_jobs(owner.user_id);
  EXPECT_THAT(when(up, Status::stopped).status_reason, HasSubstr("disabled"));
}

TEST_F(Revocation, TokensFromBeforeThereWereEpochsGetOneAndStayValid) {
  const auto agent = box->run(box->agents->provisioning.create(owner.user_id, {.name = "plain"})).value();
  end_other_sessions();
  const std::function<void(Agent&)> forget = [](Agent& old) { old.tokens_since.reset(); };
  ASSERT_TRUE(box->run(box->system().modify(agents::records, owner.user_id, agent.id, forget)));
  EXPECT_NE(answer_to(agent, agent.gateway_token.clear), 401);
  box->run([](agents::Revocation& revocation) -> web::Task<int> {
    co_await revocation.catch_up();
    co_return 0;
  }(box->agents->revocation));
  EXPECT_EQ(now(agent).gateway_token.clear, agent.gateway_token.clear);
  EXPECT_NE(answer_to(agent, agent.gateway_token.clear), 401);
  end_other_sessions();
  EXPECT_EQ(answer_to(agent, agent.gateway_token.clear), 401);
}

}  // namespace revocation_test
