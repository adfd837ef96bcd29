#include "appliance/hosting/schedule/tasks.h"

#include "appliance/hosting/gate/rules.h"
#include "tests/hosting/schedule_fixture.h"

namespace schedule_tasks_test {

using namespace schedule_tests;
using schedule::Changes;
using testing::HasSubstr;

class Tasks : public ScheduleTest {};

TEST_F(Tasks, AreListedNewestFirst) {
  const auto first = create("0 9 * * *");
  set_clock(now() + 1s);
  auto second_wanted = wanted("@daily", "good night");
  second_wanted.description = "before bed";
  const auto second = create(second_wanted);
  EXPECT_EQ(first.next_run, at(2026, 11, 21, 9h));
  EXPECT_EQ(second.next_run, at(2026, 11, 22));
  EXPECT_EQ(second.created_at, now());
  const auto listed = life->tasks.list(owner);
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].id, second.id);
  EXPECT_EQ(listed[0].description, "before bed");
  EXPECT_EQ(listed[1].id, first.id);
}

TEST_F(Tasks, AreListedByAgent) {
  add_agent(owner, "ag_bob");
  const auto for_ada = create("0 9 * * *");
  auto other = wanted("0 9 * * *");
  other.agent = "ag_bob";
  const auto for_bob = create(other);
  const auto listed = life->tasks.list(owner, "ag_bob");
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].id, for_bob.id);
  EXPECT_TRUE(life->tasks.list(owner, "ag_eve").empty());
}

TEST_F(Tasks, RefuseAnInvalidExpressionAndAnUnknownZone) {
  const auto refused = try_create(wanted("61 * * * *"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::invalid);
  EXPECT_THAT(refused.error().message, HasSubstr("cronSchedule"));
  auto nowhere = wanted("0 9 * * *");
  nowhere.timezone = "Europe/Nowhere";
  EXPECT_THAT(try_create(nowhere).error().message, HasSubstr("timezone: this box knows no 'Europe/Nowhere'"));
  EXPECT_EQ(rows(schedule::tasks), 0u);
}

TEST_F(Tasks, OfAgentsAreAMinuteApartAndAtMostTwenty) {
  auto subscribing = life->system.change();
  life->subscriptions.put(subscribing, owner, billing::Plan::network, billing::Subscriptions::new_id());
  ASSERT_TRUE(life->loop.run(subscribing.commit()).ok());
  auto by_agent = wanted("* * * * * *");
  by_agent.made_by = by_agent.agent;
  for (const auto* often : {"* * * * * *", "0,59 * * * * *", "5,6 0 9 * * *"}) {
    by_agent.cron_schedule = often;
    const auto refused = try_create(by_agent);
    ASSERT_FALSE(refused) << often;
    EXPECT_THAT(refused.error().message, HasSubstr("at least a minute apart"));
  }
  by_agent.cron_schedule = "30 * * * * *";
  const auto first = create(by_agent);
  EXPECT_FALSE(life->loop.run(life->tasks.change(owner, first.id, {.cron_schedule = "* * * * * *"}, true)));
  EXPECT_TRUE(change(first, {.cron_schedule = "* * * * * *"})) << "its owner may";
  const auto most = gate::TaskLimits().tasks;
  for (auto more = most - 1; more > 0; --more) create(by_agent);
  const auto refused = try_create(by_agent);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::too_many);
  EXPECT_EQ(refused.error().extra.at("limit"), most);
  create("0 9 * * *");
  ASSERT_TRUE(remove(first));
  create(by_agent);
}

TEST_F(Tasks, OfAgentsHaveTheLimitsOfTheirPlan) {
  auto subscribing = life->system.change();
  life->subscriptions.put(subscribing, owner, billing::Plan::solo, billing::Subscriptions::new_id());
  ASSERT_TRUE(life->loop.run(subscribing.commit()).ok());
  life->loop.run(gate::set_task_limits_of_plan(life->system, billing::Plan::solo, {.tasks = 2, .apart = 30min}));
  life->loop.run(gate::set_task_limits_of_plan(life->system, billing::Plan::network, {.tasks = 0, .apart = 1s}));
  auto by_agent = wanted("0 9 * * *");
  by_agent.made_by = by_agent.agent;
  for (const auto* often : {"* * * * *", "0,29 * * * *", "@every 20m", "20,40,59 12 * * 3"}) {
    by_agent.cron_schedule = often;
    const auto refused = try_create(by_agent);
    ASSERT_FALSE(refused) << often;
    EXPECT_THAT(refused.error().message, HasSubstr("at least 30 minutes apart"));
  }
  for (const auto* seldom : {"0,30 * * * *", "@every 30m"}) {
    by_agent.cron_schedule = seldom;
    create(by_agent);
  }
  EXPECT_EQ(try_create(by_agent).error().extra.at("limit"), 2);
  const auto limits = gate::task_limits_of_plan(life->system, billing::Plan::network);
  EXPECT_EQ(limits.tasks, 0);
  EXPECT_EQ(limits.apart, 1s);
}

TEST_F(Tasks, RunOnceAtOneTime) {
  auto once = wanted("@at 2026-12-01T09:00");
  once.timezone = "Europe/Berlin";
  EXPECT_EQ(create(once).next_run, at(2026, 12, 1, 8h));
  once.cron_schedule = "@at 2026-11-21T08:59";  // it is 9:00 there
  EXPECT_THAT(try_create(once).error().message, HasSubstr("this time has passed in the zone Europe/Berlin"));
  for (const auto* wrong : {"@at", "@at tomorrow", "@at 2026-13-01T09:00", "@at 2026-02-29T09:00",
                            "@at 2026-12-01T24:00", "@at 2026-12-01", "@at 2026-12-01T09:00Z"}) {
    once.cron_schedule = wrong;
    EXPECT_THAT(try_create(once).error().message, HasSubstr("after @at goes a date and a time")) << wrong;
  }
}

TEST_F(Tasks, ThatHaveRunOnceMakeRoomForNewOnes) {
  std::vector<schedule::Task> made;
  for (int i = 0; i < 5; ++i) {
    made.push_back(create("@at 2026-11-21T09:00:0" + std::to_string(i)));
    set_clock(now() + 1ms);
  }
  EXPECT_EQ(try_create(wanted("0 9 * * *")).error().kind, web::Kind::too_many) << "none of them has run";
  pass(1h + 2s);
  EXPECT_EQ(look(made[0]).next_run, std::nullopt);
  EXPECT_EQ(history(made[0]).at(0).outcome, schedule::Outcome::succeeded);
  create("0 9 * * *");
  EXPECT_FALSE(life->tasks.find(owner, made[0].id)) << "the oldest one is gone";
  EXPECT_TRUE(life->tasks.find(owner, made[1].id));
  EXPECT_TRUE(life->tasks.find(owner, made[4].id)) << "it is yet to run";
}

TEST_F(Tasks, RunInTheirTimeZone) {
  auto in_tokyo = wanted("0 9 * * *");
  in_tokyo.timezone = "Asia/Tokyo";
  EXPECT_EQ(create(in_tokyo).next_run, at(2026, 11, 22, 0h));
  auto anywhere = wanted("0 9 * * *");
  anywhere.timezone.clear();
  EXPECT_EQ(create(anywhere).timezone, life->zones.of_the_box());
}

TEST_F(Tasks, BelongToTheirOwner) {
  const auto task = create("0 9 * * *");
  EXPECT_TRUE(life->tasks.list(stranger).empty());
  EXPECT_FALSE(life->tasks.find(stranger, task.id));
  EXPECT_EQ(change(task, {}, stranger).error().kind, web::Kind::not_found);
  EXPECT_EQ(remove(task, stranger).error().kind, web::Kind::not_found);
  EXPECT_EQ(life->tasks.history(stranger, task.id, 10).error().kind, web::Kind::not_found);
  EXPECT_EQ(run_now(task, stranger).error().kind, web::Kind::not_found);
  EXPECT_EQ(try_create(wanted("0 9 * * *"), stranger).error().kind, web::Kind::not_found) << "for another's agent";
  auto nobodys = wanted("0 9 * * *");
  nobodys.agent = "ag_nobody";
  EXPECT_EQ(try_create(nobodys).error().message, try_create(wanted("0 9 * * *"), stranger).error().message);
}

TEST_F(Tasks, AreLimitedByThePlan) {
  std::vector<schedule::Task> made;
  for (int i = 0; i < 5; ++i) made.push_back(create("0 9 * * *"));
  const auto refused = try_create(wanted("0 9 * * *"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::too_many);
  EXPECT_EQ(refused.error().extra.at("current").as_int64(), 5);
  EXPECT_EQ(refused.error().extra.at("limit").as_int64(), 5);
  EXPECT_TRUE(remove(made[0]));
  create("0 9 * * *");

  accounts::User user;
  user.id = owner;
  user.email = "ada@example.org";
  user.referral_code = "ada";
  auto change = life->system.change();
  change.insert(accounts::users, user);
  ASSERT_TRUE(change.commit_blocking().ok());
  ASSERT_TRUE(life->loop.run(life->subscriptions.deploy(owner, billing::Plan::label)));
  for (int i = 0; i < 5; ++i) create("0 9 * * *");
  EXPECT_EQ(try_create(wanted("0 9 * * *")).error().extra.at("limit").as_int64(), 10);
}

TEST_F(Tasks, ChangeOnlyInGivenFields) {
  const auto task = create("0 9 * * *");
  set_clock(now() + 5s);
  auto changed = change(task, {.name = "Another name", .description = "why"}).value();
  EXPECT_EQ(changed.name, "Another name");
  EXPECT_EQ(changed.description, "why");
  EXPECT_EQ(changed.prompt, task.prompt);
  EXPECT_EQ(changed.next_run, task.next_run);
  EXPECT_EQ(changed.updated_at, now());
  EXPECT_EQ(changed.created_at, task.created_at);
  EXPECT_EQ(change(task, {.description = ""})->description, std::nullopt);
  EXPECT_EQ(change(task, {.cron_schedule = "0 10 * * *"})->next_run, at(2026, 11, 21, 10h));
  EXPECT_EQ(change(task, {.timezone = "Asia/Tokyo"})->next_run, at(2026, 11, 22, 1h));
  EXPECT_EQ(change(task, {.prompt = "anew"})->prompt, "anew");
}

TEST_F(Tasks, StayUnchangedWhenAChangeIsRefused) {
  const auto task = create("0 9 * * *");
  EXPECT_EQ(change(task, {.name = "x", .cron_schedule = "nonsense"}).error().kind, web::Kind::invalid);
  EXPECT_EQ(change(task, {.timezone = "Nowhere"}).error().kind, web::Kind::invalid);
  EXPECT_EQ(look(task).name, task.name);
  EXPECT_EQ(look(task).cron_schedule, task.cron_schedule);
}

TEST_F(Tasks, AreDueOnlyWhileTheyAreEnabled) {
  auto off = wanted("0 9 * * *");
  off.enabled = false;
  const auto task = create(off);
  EXPECT_EQ(task.next_run, std::nullopt);
  pass(2h);
  EXPECT_TRUE(asked().empty());
  EXPECT_EQ(change(task, {.enabled = true})->next_run, at(2026, 11, 22, 9h)) << "counted from now";
  EXPECT_EQ(change(task, {.enabled = false})->next_run, std::nullopt);
  pass(48h);
  EXPECT_TRUE(asked().empty());
}

TEST_F(Tasks, AreRemovedWithTheirAgent) {
  add_agent(owner, "ag_bob");
  auto other = wanted("0 9 * * *");
  other.agent = "ag_bob";
  const auto kept = create(other);
  create("0 9 * * *");
  create("* * * * *");
  pass(1min);
  EXPECT_EQ(rows(schedule::runs), 1u);
  life->loop.run(life->tasks.forget(owner, "ag_ada"));
  ASSERT_EQ(life->tasks.list(owner).size(), 1u);
  EXPECT_EQ(life->tasks.list(owner)[0].id, kept.id);
  EXPECT_EQ(rows(schedule::runs), 0u);
  EXPECT_EQ(life->system.counter(owner, schedule::count), 1);
}

TEST_F(Tasks, AreNotCreatedForAnAgentThatIsBeingDeleted) {
  auto row = life->system.get(agents::records, owner, "ag_ada").value();
  row->status = agents::Status::deleting;
  auto change = life->system.change();
  change.update(agents::records, row);
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_EQ(try_create(wanted("0 9 * * *")).error().kind, web::Kind::not_found);
}

TEST_F(Tasks, ShowTheirNextRunsBeforeTheyAreCreated) {
  const auto next = life->tasks.preview("30 9 * * MON-FRI", "America/New_York", 5).value();
  ASSERT_EQ(next.size(), 5u);
  EXPECT_EQ(next[0], at(2026, 11, 23, 14h + 30min));
  EXPECT_EQ(next[4], at(2026, 11, 27, 14h + 30min));
  EXPECT_EQ(life->tasks.preview("30 9 31 2 *", "UTC", 5).error().kind, web::Kind::invalid);
}

}  // namespace schedule_tasks_test
