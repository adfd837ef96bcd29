// Jobs and agents while the engine does not answer.
#include <gmock/gmock.h>

#include "tests/hosting/agent_box.h"

namespace engine_outage_test {

using namespace agent_tests;
using agents::Status;
using testing::HasSubstr;

class EngineOutage : public AgentBoxTest {
 protected:
  // The real state of the process, whatever the engine reports.
  std::int64_t pid_of(const agents::Agent& agent) { return instance(agent).pid; }
  // Restarts the box while the engine does not answer.
  void come_back_without_engine() {
    box.reset();
    is_engine_away_at_start = true;
    open();
    is_engine_away_at_start = false;
  }
};

TEST_F(EngineOutage, AStopIsCarriedOutAfterwards) {
  const auto up = running("plain");
  const auto pid = pid_of(up);
  box->engine->is_away = true;
  const auto refused = box->run(box->agents->lifecycle.stop(owner.user_id, up.id));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::internal);
  EXPECT_EQ(refused.error().message, "The engine does not answer.");
  EXPECT_EQ(now(up).status, Status::stopping);
  EXPECT_EQ(now(up).status_reason, "The engine does not answer.");
  box->engine->is_away = false;
  when(up, Status::stopped);
  EXPECT_FALSE(is_alive(pid));
  EXPECT_EQ(now(up).status_reason, "");
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(EngineOutage, AStartIsCarriedOutAfterwards) {
  const auto up = running("plain");
  ASSERT_TRUE(box->run(box->agents->lifecycle.stop(owner.user_id, up.id)));
  box->engine->is_away = true;
  EXPECT_FALSE(box->run(box->agents->lifecycle.start(owner.user_id, up.id)));
  EXPECT_EQ(now(up).status, Status::error);
  const auto unheard = box->run(box->chat->send(owner.user_id, up.id, "hello"));
  ASSERT_FALSE(unheard);
  EXPECT_EQ(unheard.error().message, "This agent is not running: The engine does not answer.");
  box->engine->is_away = false;
  when(up, Status::running);
  EXPECT_TRUE(box->run(box->chat->send(owner.user_id, up.id, "hello")));
}

TEST_F(EngineOutage, ARepairIsRefusedWithTheReason) {
  const auto up = running("plain");
  const auto pid = pid_of(up);
  const auto expect_refused = [&] {
    const auto refused = box->run(box->agents->lifecycle.repair(owner.user_id, up.id));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, web::Kind::internal);
    EXPECT_EQ(refused.error().message, "The engine does not answer.");
  };
  box->engine->is_away = true;
  expect_refused();
  EXPECT_EQ(now(up).status, Status::running) << "nothing has changed";
  EXPECT_FALSE(box->run(box->agents->lifecycle.restart(owner.user_id, up.id)));
  expect_refused();
  box->engine->is_away = false;
  when(up, Status::running);
  EXPECT_NE(pid_of(up), pid) << "the restart is carried out, and no repair";
}

TEST_F(EngineOutage, AnAgentCreatedMeanwhileStartsAfterwards) {
  box->engine->is_away = true;
  const auto fresh = when(provision("plain"), Status::error);
  EXPECT_EQ(fresh.status_reason, "The engine does not answer.");
  EXPECT_EQ(fresh.desired, agents::desired::running);
  box->engine->is_away = false;
  EXPECT_EQ(when(fresh, Status::running).status_reason, "");
}

TEST_F(EngineOutage, AnAgentDeletedMeanwhileIsRemovedAfterwards) {
  const auto up = running("plain");
  const auto pid = pid_of(up);
  box->engine->is_away = true;
  EXPECT_TRUE(box->run(box->agents->lifecycle.remove(owner.user_id, up.id)));
  EXPECT_FALSE(box->agents->directory.find(owner.user_id, up.id));
  box->engine->is_away = false;
  EXPECT_TRUE(eventually([&] { return !box->system().get(agents::records, owner.user_id, up.id); }));
  EXPECT_FALSE(is_alive(pid));
}

TEST_F(EngineOutage, TheLastJobWins) {
  const auto up = running("plain");
  box->engine->is_away = true;
  EXPECT_FALSE(box->run(box->agents->lifecycle.stop(owner.user_id, up.id)));
  EXPECT_FALSE(box->run(box->agents->lifecycle.restart(owner.user_id, up.id)));
  box->engine->is_away = false;
  when(up, Status::running);
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(EngineOutage, ABoxStartedDuringOneRecoversAfterwards) {
  const auto up = running("plain");
  const auto pid = pid_of(up);
  auto row = box->system().get(agents::records, owner.user_id, up.id);
  row->value.status = Status::provisioning;  // as EngineMigration or an earlier start leaves it
  auto change = box->system().change();
  change.update(agents::records, *row);
  ASSERT_TRUE(change.commit_blocking().ok());
  come_back_without_engine();
  EXPECT_EQ(when(up, Status::error).status_reason, "The engine does not answer.");
  box->engine->is_away = false;
  when(up, Status::running);
  EXPECT_EQ(pid_of(up), pid) << "it ran all the time";
}

TEST_F(EngineOutage, AgentsThatShouldNotRunAreStopped) {
  const auto up = running("plain");
  const auto pid = pid_of(up);
  auto row = box->system().get(agents::records, owner.user_id, up.id);
  row->value.status = Status::error;
  row->value.status_reason = "It was not ready.";
  row->value.desired = agents::desired::stopped;
  auto change = box->system().change();
  change.update(agents::records, *row);
  ASSERT_TRUE(change.commit_blocking().ok());
  box->engine->on_back();
  EXPECT_TRUE(eventually([&] { return !is_alive(pid); }));
  EXPECT_TRUE(eventually([&] { return jobs_left() == 0; }));
  EXPECT_EQ(now(up).status, Status::error);
  EXPECT_EQ(now(up).status_reason, "It was not ready.");
}

TEST_F(EngineOutage, AnAgentWithoutARecordIsStopped) {
  const auto up = running("plain");
  const auto pid = pid_of(up);
  auto change = box->system().change();
  change.erase(agents::records, *box->system().get(agents::records, owner.user_id, up.id));
  ASSERT_TRUE(change.commit_blocking().ok());
  box->engine->on_back();
  EXPECT_TRUE(eventually([&] { return !is_alive(pid); }));
}

}  // namespace engine_outage_test
