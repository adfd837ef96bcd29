#include "appliance/hosting/heartbeat/heartbeat.h"

#include "appliance/hosting/schedule/frequency.h"
#include "tests/hosting/schedule_fixture.h"

namespace heartbeat_test {

using namespace schedule_tests;
using schedule::parse_frequency;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Frequency, IsANumberAndAUnit) {
  EXPECT_EQ(parse_frequency("1m"), 1min);
  EXPECT_EQ(parse_frequency("90m"), 90min);
  EXPECT_EQ(parse_frequency("3h"), 180min);
  EXPECT_EQ(parse_frequency("365d"), std::chrono::days(365));
  for (const auto* wrong : {"",   "3",  "h",  "0h",   "03h",  "-3h",     "+3h",          "3 h",         " 3h", "3h ",
                            "3H", "3s", "3w", "1.5h", "366d", "525601m", "99999999999h", "4294967297m", "3hh", "3h3m"})
    EXPECT_FALSE(parse_frequency(wrong)) << wrong;
}

class Heartbeat : public ScheduleTest {
 protected:
  heartbeat::Heartbeats service() {
    return {life->system, life->tasks, life->zones, [this] { return now(); }};
  }
  web::Result<heartbeat::Heartbeat> set(heartbeat::Changes changes, store::UserId user = owner) {
    auto heartbeats = service();
    return life->loop.run(heartbeats.set(user, "ag_ada", std::move(changes)));
  }
  heartbeat::Heartbeat find() { return service().find(owner, "ag_ada").value(); }
};

TEST_F(Heartbeat, IsNoneUntilItIsSet) {
  const auto none = find();
  EXPECT_EQ(none.frequency, "3h");
  EXPECT_TRUE(none.enabled);
  EXPECT_FALSE(none.next);
  pass(24h);
  EXPECT_THAT(asked(), IsEmpty());
}

TEST_F(Heartbeat, RunsAtItsFrequency) {
  const auto set_now = set({.frequency = "90m", .prompt = "look around", .enabled = {}});
  ASSERT_TRUE(set_now);
  EXPECT_EQ(set_now->next, now() + 90min);
  pass(90min - 1s);
  EXPECT_THAT(asked(), IsEmpty());
  pass(1s);
  EXPECT_THAT(asked(), ElementsAre("look around"));
  EXPECT_EQ(find().last, now());
  EXPECT_EQ(find().next, now() + 90min);
  EXPECT_EQ(find().last_outcome, schedule::Outcome::succeeded);
  pass(90min);
  EXPECT_EQ(asked().size(), 2u);
}

TEST_F(Heartbeat, ChangesOnlyGivenFieldsAndRestartsItsInterval) {
  ASSERT_TRUE(set({.frequency = "1d", .prompt = "look around", .enabled = {}}));
  pass(1h);
  const auto disabled = set({.frequency = {}, .prompt = {}, .enabled = false});
  EXPECT_EQ(disabled->frequency, "1d");
  EXPECT_FALSE(disabled->next);
  pass(48h);
  EXPECT_THAT(asked(), IsEmpty());
  const auto enabled = set({.frequency = {}, .prompt = "", .enabled = true});
  EXPECT_EQ(enabled->next, now() + 24h);
  EXPECT_THAT(enabled->prompt, HasSubstr("HEARTBEAT_OK")) << "an empty prompt is the default one";
}

TEST_F(Heartbeat, ReportsTheLastFailure) {
  ASSERT_TRUE(set({.frequency = "1m", .prompt = "fail", .enabled = {}}));
  pass(1min);
  EXPECT_EQ(find().last_outcome, schedule::Outcome::failed);
  EXPECT_THAT(find().last_error, HasSubstr("no spoon"));
}

TEST_F(Heartbeat, IsNotListedAmongTasksAndIsDeletedWithItsAgent) {
  ASSERT_TRUE(set({}));
  EXPECT_THAT(life->tasks.list(owner), IsEmpty());
  EXPECT_FALSE(life->tasks.find(owner, "hb_ag_ada"));
  EXPECT_FALSE(life->loop.run(life->tasks.remove(owner, "hb_ag_ada")));
  EXPECT_FALSE(life->loop.run(life->tasks.change(owner, "hb_ag_ada", {})));
  for (int i = 0; i < 5; ++i) create("0 9 * * *");
  EXPECT_FALSE(try_create(wanted("0 9 * * *"))) << "five without a plan, and the heartbeat is not one of them";
  life->loop.run(life->tasks.forget(owner, "ag_ada"));
  EXPECT_EQ(rows(schedule::tasks), 0u);
  EXPECT_EQ(life->system.counter(owner, schedule::count), 0);
}

TEST_F(Heartbeat, IsRemoved) {
  ASSERT_TRUE(set({.frequency = "1m", .prompt = {}, .enabled = {}}));
  auto heartbeats = service();
  EXPECT_TRUE(life->loop.run(heartbeats.remove(owner, "ag_ada")));
  EXPECT_TRUE(life->loop.run(heartbeats.remove(owner, "ag_ada"))) << "none is no error";
  pass(1h);
  EXPECT_THAT(asked(), IsEmpty());
  EXPECT_FALSE(find().next);
}

TEST_F(Heartbeat, BelongsToTheOwnerOnly) {
  EXPECT_EQ(set({}, stranger).error().kind, web::Kind::not_found);
  EXPECT_EQ(service().find(stranger, "ag_ada").error().kind, web::Kind::not_found);
  EXPECT_THAT(set({.frequency = "3x", .prompt = {}, .enabled = {}}).error().message, HasSubstr("frequency"));
}

TEST_F(Heartbeat, SurvivesACrashAndCatchesUpOnce) {
  ASSERT_TRUE(set({.frequency = "1h", .prompt = "look around", .enabled = {}}));
  crash();
  set_clock(now() + 10h);
  come_back();
  tick();
  EXPECT_THAT(asked(), ElementsAre("look around"));
  EXPECT_EQ(find().next, now() + 1h);
}

}  // namespace heartbeat_test
