// What running agents use is measured once a minute, kept for a day, and goes with the agent.
#include "appliance/hosting/storage_watch/usage_history.h"

#include <gmock/gmock.h>

#include "tests/hosting/agent_box.h"

namespace usage_history_test {

using namespace agent_tests;
using namespace std::chrono_literals;
using testing::Each;
using testing::Field;
using testing::Gt;
using testing::IsEmpty;
using testing::SizeIs;
using usage_history::Usage;

class UsageHistory : public AgentBoxTest {
 protected:
  void look() { box->run(history->look()); }
  void look_for(std::chrono::minutes time) {
    for (const auto end = clock + time; clock < end; clock += 30s) look();
  }
  std::vector<Usage> last_day(const agents::Agent& agent) { return history->last_day(agent.owner, agent.id); }
  void restart() {
    history = std::make_unique<usage_history::UsageHistory>(box->system(), box->agents->directory, *box->engine,
                                                            [this] { return clock; });
  }

  store::Time clock{std::chrono::sys_days(std::chrono::year(2026) / 11 / 25) + 10h};
  std::unique_ptr<usage_history::UsageHistory> history = std::make_unique<usage_history::UsageHistory>(
      box->system(), box->agents->directory, *box->engine, [this] { return clock; });
};

TEST_F(UsageHistory, IsMeasuredOnceAMinuteInIntervalsOfFive) {
  const auto agent = running("plain");
  const auto begin = clock;
  look_for(10min);
  const auto usage = last_day(agent);
  ASSERT_THAT(usage, SizeIs(2));
  EXPECT_EQ(usage[0].begin, begin);
  EXPECT_EQ(usage[1].begin, begin + 5min);
  EXPECT_THAT(usage, Each(Field(&Usage::measurements, 5)));
  EXPECT_THAT(usage, Each(Field(&Usage::memory_bytes, Gt(100'000))));
}

TEST_F(UsageHistory, GoesOnAfterARestartWithinAnInterval) {
  const auto agent = running("plain");
  look();
  restart();
  look();
  ASSERT_THAT(last_day(agent), SizeIs(1));
  EXPECT_EQ(last_day(agent)[0].measurements, 2);
}

TEST_F(UsageHistory, KeepsADay) {
  const auto agent = running("plain");
  look();
  clock += 12h;
  look();
  clock += 12h + 5min;
  EXPECT_THAT(last_day(agent), SizeIs(1)) << "the first is older than a day";
  look();
  EXPECT_THAT(last_day(agent), SizeIs(2));
  clock += 24h - 5min;  // the place in the day of the first one
  look();
  EXPECT_EQ(last_day(agent).back().begin, clock);
  EXPECT_EQ(last_day(agent).back().measurements, 1) << "it replaces that of another day";
}

TEST_F(UsageHistory, LeavesOutAgentsThatDoNotRunAndAnEngineThatDoesNotRespond) {
  const auto agent = running("plain");
  box->engine->is_away = true;
  look();
  EXPECT_THAT(last_day(agent), IsEmpty());
  box->engine->is_away = false;
  ASSERT_TRUE(box->run(box->agents->lifecycle.stop(agent.owner, agent.id)));
  when(agent, agents::Status::stopped);
  look();
  EXPECT_THAT(last_day(agent), IsEmpty());
}

TEST_F(UsageHistory, IsOfOneAgentAndForgottenWithIt) {
  const auto agent = running("plain"), other = running("plain too");
  look();
  EXPECT_THAT(history->last_day(stranger.user_id, agent.id), IsEmpty());
  box->run(history->forget(agent.owner, agent.id));
  EXPECT_THAT(last_day(agent), IsEmpty());
  EXPECT_THAT(last_day(other), SizeIs(1));
}

}  // namespace usage_history_test
