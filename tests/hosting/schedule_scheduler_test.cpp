#include "appliance/hosting/schedule/scheduler.h"

#include "tests/hosting/schedule_fixture.h"

namespace schedule_scheduler_test {

using namespace schedule_tests;
using schedule::CatchUp;
using schedule::Outcome;
using schedule::Overlap;
using schedule::Trigger;
using testing::ElementsAre;
using testing::HasSubstr;

class Scheduler : public ScheduleTest {
 protected:
  schedule::Task create_with(std::string cron, std::string prompt, CatchUp catch_up, Overlap overlap) {
    auto task = wanted(std::move(cron), std::move(prompt));
    task.catch_up = catch_up;
    task.overlap = overlap;
    return create(task);
  }
};

TEST_F(Scheduler, RunsATaskWhenItIsDue) {
  const auto task = create("0 9 * * *");
  pass(1h - 1ms);
  EXPECT_TRUE(asked().empty());
  pass(1ms);
  EXPECT_THAT(asked(), ElementsAre("good morning"));
  tick();
  EXPECT_EQ(asked().size(), 1u) << "once";
  EXPECT_EQ(look(task).last_run, at(2026, 11, 21, 9h));
  EXPECT_EQ(look(task).next_run, at(2026, 11, 22, 9h));
  const auto runs = history(task);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].outcome, Outcome::succeeded);
  EXPECT_EQ(runs[0].trigger, Trigger::schedule);
  EXPECT_EQ(runs[0].answer, "heard: good morning");
  EXPECT_EQ(runs[0].due_at, at(2026, 11, 21, 9h));
  EXPECT_EQ(runs[0].finished_at, now());
}

TEST_F(Scheduler, KeepsTheErrorOfAFailedRun) {
  const auto task = create("0 9 * * *", "fail"), other = create("0 9 * * *", "throw");
  pass(1h);
  EXPECT_EQ(history(task).at(0).outcome, Outcome::failed);
  EXPECT_EQ(history(task).at(0).error, "The agent did not answer: no spoon.");
  EXPECT_EQ(history(other).at(0).outcome, Outcome::failed);
  EXPECT_EQ(history(other).at(0).error, "The box could not send the prompt.");
  pass(24h);
  EXPECT_EQ(history(task).size(), 2u) << "it goes on";
}

TEST_F(Scheduler, TellsOwnersWhatTheyAskedFor) {
  auto reminder = wanted("@at 2026-11-21T09:00", "call Bob");
  reminder.tells_owner = true;
  create(reminder);
  create("@at 2026-11-21T09:00", "tell nothing");
  reminder.name = "Failing";
  reminder.prompt = "fail";
  create(reminder);
  pass(1h);
  EXPECT_THAT(told,
              testing::UnorderedElementsAre("A task: heard: call Bob", "Failing: The agent did not answer: no spoon."));
  pass(24h);
  EXPECT_EQ(told.size(), 2u) << "once";
}

TEST_F(Scheduler, MeasuresHowLongARunTook) {
  const auto task = create("0 9 * * *", "hold");
  pass(1h);
  EXPECT_EQ(history(task).at(0).outcome, Outcome::running);
  EXPECT_EQ(look(task).running, 1);
  set_clock(now() + 90s);
  release();
  const auto run = history(task).at(0);
  EXPECT_EQ(run.outcome, Outcome::succeeded);
  EXPECT_EQ(*run.finished_at - run.started_at, 90s);
  EXPECT_EQ(look(task).running, std::nullopt);
}

TEST_F(Scheduler, SkipsRunsDueDuringARun) {
  const auto task = create_with("* * * * *", "hold", CatchUp::once, Overlap::skip);
  for (int minute = 0; minute < 4; ++minute) pass(1min);
  EXPECT_EQ(asked().size(), 1u);
  release();
  EXPECT_EQ(asked().size(), 1u);
  EXPECT_EQ(history(task).at(0).overlapped, 3);
  pass(1min);
  EXPECT_EQ(history(task).size(), 2u);
}

TEST_F(Scheduler, QueuesRunsDueDuringARun) {
  const auto task = create_with("* * * * *", "hold", CatchUp::once, Overlap::queue);
  for (int minute = 0; minute < 3; ++minute) pass(1min);
  EXPECT_EQ(asked().size(), 1u);
  release();
  EXPECT_EQ(asked().size(), 2u) << "one at a time";
  release();
  EXPECT_EQ(asked().size(), 3u);
  release();
  EXPECT_EQ(asked().size(), 3u);
  const auto runs = history(task);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1].due_at, at(2026, 11, 21, 8h + 2min));
  EXPECT_EQ(runs[0].due_at, at(2026, 11, 21, 8h + 3min));
  EXPECT_EQ(runs[0].outcome, Outcome::succeeded);
}

TEST_F(Scheduler, QueuesAtMostTenRuns) {
  const auto task = create_with("* * * * *", "hold", CatchUp::once, Overlap::queue);
  for (int minute = 0; minute < 14; ++minute) pass(1min);
  EXPECT_EQ(look(task).waiting.size(), 10u);
  EXPECT_EQ(history(task).at(0).overlapped, 3);
  for (int run = 0; run < 11; ++run) release();
  EXPECT_EQ(asked().size(), 11u);
}

TEST_F(Scheduler, DropsTheQueueOfADisabledTask) {
  const auto task = create_with("* * * * *", "hold", CatchUp::once, Overlap::queue);
  for (int minute = 0; minute < 3; ++minute) pass(1min);
  ASSERT_TRUE(change(task, {.enabled = false}));
  release();
  EXPECT_EQ(asked().size(), 1u);
  EXPECT_EQ(history(task).at(0).outcome, Outcome::succeeded);
}

TEST_F(Scheduler, CatchesUpOnceForAllMissedRuns) {
  const auto task = create("0 9 * * *");
  crash();
  set_clock(at(2026, 11, 25, 12h));
  come_back();
  tick();
  EXPECT_EQ(asked().size(), 1u);
  const auto run = history(task).at(0);
  EXPECT_EQ(run.trigger, Trigger::makeup);
  EXPECT_EQ(run.due_at, at(2026, 11, 21, 9h));
  EXPECT_EQ(look(task).next_run, at(2026, 11, 26, 9h));
  tick();
  EXPECT_EQ(asked().size(), 1u);
}

TEST_F(Scheduler, SkipsMissedRunsOfATaskThatDoesNotCatchUp) {
  const auto task = create_with("0 9 * * *", "hello", CatchUp::skip, Overlap::skip);
  crash();
  set_clock(at(2026, 11, 25, 12h));
  come_back();
  tick();
  EXPECT_TRUE(asked().empty());
  const auto runs = history(task);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].outcome, Outcome::skipped);
  EXPECT_EQ(runs[0].error, "The box was not able to run it when it was due.");
  EXPECT_EQ(look(task).next_run, at(2026, 11, 26, 9h));
  EXPECT_EQ(look(task).last_run, std::nullopt);
  set_clock(at(2026, 11, 26, 9h));
  tick();
  EXPECT_EQ(asked().size(), 1u);
}

TEST_F(Scheduler, RunsDueDuringAShortStopAreMissed) {
  create_with("30 0 9 * * *", "hello", CatchUp::skip, Overlap::skip);
  set_clock(at(2026, 11, 21, 9h + 29s));
  crash();
  set_clock(at(2026, 11, 21, 9h + 31s));
  come_back();
  tick();
  EXPECT_TRUE(asked().empty());
}

TEST_F(Scheduler, RunsDueDuringASuspendAreMissed) {
  const auto once = create("0 9 * * *"), skip = create_with("0 9 * * *", "hello", CatchUp::skip, Overlap::skip);
  pass(5h);
  EXPECT_EQ(history(once).at(0).trigger, Trigger::makeup);
  EXPECT_EQ(history(skip).at(0).outcome, Outcome::skipped);
  pass(20h + 10s);  // ten seconds late: a busy box
  EXPECT_EQ(history(once).at(0).trigger, Trigger::schedule);
  EXPECT_EQ(history(skip).at(0).outcome, Outcome::succeeded);
}

TEST_F(Scheduler, AClockThatIsSetBackDoesNotStallTasks) {
  const auto task = create("0 9 * * *"), skip = create_with("0 9 * * *", "hello", CatchUp::skip, Overlap::skip);
  const auto before = now();
  pass(24h * 365);
  crash_and_come_back();
  tick();
  EXPECT_EQ(look(task).next_run, at(2027, 11, 21, 9h));
  set_clock(before + 30s);
  tick();
  EXPECT_EQ(look(task).next_run, at(2026, 11, 21, 9h));
  EXPECT_EQ(look(skip).next_run, at(2026, 11, 21, 9h));
  const auto runs = history(task).size();
  set_clock(at(2026, 11, 21, 9h));
  tick();
  EXPECT_EQ(history(task).size(), runs + 1);
  EXPECT_EQ(history(task).at(0).trigger, Trigger::schedule) << "not missed";
  EXPECT_EQ(history(skip).at(0).outcome, Outcome::succeeded);
}

TEST_F(Scheduler, ASmallCorrectionOfTheClockRepeatsNoRun) {
  const auto task = create("0 9 * * *");
  pass(1h);
  ASSERT_EQ(history(task).size(), 1u);
  set_clock(now() - 50s);
  tick();
  pass(50s);
  EXPECT_EQ(history(task).size(), 1u);
}

TEST_F(Scheduler, AClockThatWasSetBackWhileTheBoxWasOffDoesNotStallTasks) {
  const auto task = create("0 9 * * *");
  const auto before = now();
  pass(24h * 365);
  crash();
  set_clock(before);
  come_back();
  EXPECT_EQ(look(task).next_run, at(2026, 11, 21, 9h));
}

TEST_F(Scheduler, RunsCutOffByACrashFailAndAreRepeated) {
  const auto task = create("0 9 * * *", "hold");
  pass(1h);
  crash();
  set_clock(now() + 10s);
  come_back();
  auto runs = history(task);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].outcome, Outcome::failed);
  EXPECT_EQ(runs[0].error, "The box was interrupted before the agent answered.");
  EXPECT_EQ(runs[0].finished_at, now());
  EXPECT_EQ(look(task).running, std::nullopt);
  tick();
  runs = history(task);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].trigger, Trigger::makeup);
  EXPECT_EQ(runs[0].due_at, at(2026, 11, 21, 9h));
  release();
  EXPECT_EQ(history(task).at(0).outcome, Outcome::succeeded);
  EXPECT_EQ(look(task).next_run, at(2026, 11, 22, 9h));
}

TEST_F(Scheduler, APromptThatCrashesTheBoxIsRepeatedOnlyOnce) {
  const auto task = create("0 9 * * *", "hold");
  pass(1h);
  crash_and_come_back();
  tick();
  crash_and_come_back();
  tick();
  EXPECT_EQ(asked().size(), 2u);
  EXPECT_EQ(history(task).at(0).outcome, Outcome::failed);
  EXPECT_EQ(look(task).next_run, at(2026, 11, 22, 9h));
}

TEST_F(Scheduler, RunsCutOffAreNotRepeatedWithoutCatchUp) {
  const auto task = create_with("0 9 * * *", "hold", CatchUp::skip, Overlap::queue);
  pass(1h);
  crash_and_come_back();
  tick();
  EXPECT_EQ(asked().size(), 1u);
  ASSERT_EQ(history(task).size(), 1u);
  EXPECT_EQ(history(task)[0].outcome, Outcome::failed);
  EXPECT_EQ(look(task).next_run, at(2026, 11, 22, 9h));
}

TEST_F(Scheduler, QueuedRunsAreCaughtUpOnceAfterACrash) {
  const auto task = create_with("* * * * *", "hold", CatchUp::once, Overlap::queue);
  for (int minute = 0; minute < 4; ++minute) pass(1min);
  crash_and_come_back();
  EXPECT_TRUE(look(task).waiting.empty());
  tick();
  EXPECT_EQ(asked().size(), 2u);
  release();
  EXPECT_EQ(asked().size(), 2u);
}

TEST_F(Scheduler, AManualRunOfADisabledTaskIsNotRepeated) {
  auto off = wanted("0 9 * * *", "hold");
  off.enabled = false;
  const auto task = create(off);
  ASSERT_TRUE(run_now(task));
  crash_and_come_back();
  pass(48h);
  EXPECT_EQ(asked().size(), 1u);
  EXPECT_EQ(history(task).at(0).outcome, Outcome::failed);
}

TEST_F(Scheduler, AnOrderlyStopWaitsForRunsInProgress) {
  const auto task = create("0 9 * * *", "hold");
  pass(1h);
  auto stopping = boost::asio::co_spawn(life->loop.io, life->scheduler.stop(1h), boost::asio::use_future);
  ASSERT_TRUE(eventually([&] { return run_now(create("0 9 * * *")).has_error(); })) << "nothing more begins";
  EXPECT_EQ(stopping.wait_for(0s), std::future_status::timeout);
  release();
  stopping.get();
  EXPECT_EQ(history(task).at(0).outcome, Outcome::succeeded);
}

TEST_F(Scheduler, AnOrderlyStopLeavesTheQueueToTheNextStart) {
  const auto task = create_with("* * * * *", "hold", CatchUp::once, Overlap::queue);
  for (int minute = 0; minute < 4; ++minute) pass(1min);
  auto stopping = boost::asio::co_spawn(life->loop.io, life->scheduler.stop(1h), boost::asio::use_future);
  ASSERT_TRUE(eventually([&] { return run_now(create("0 0 1 1 *")).has_error(); }));
  release();
  stopping.get();
  EXPECT_EQ(asked().size(), 1u);
  set_clock(now() + 1s);
  crash_and_come_back();
  tick();
  EXPECT_EQ(history(task).at(0).trigger, Trigger::makeup);
  EXPECT_EQ(history(task).at(0).due_at, at(2026, 11, 21, 8h + 2min));
}

TEST_F(Scheduler, WaitsAtMostForItsDeadline) {
  create("0 9 * * *", "hold");
  pass(1h);
  life->loop.run(life->scheduler.stop(0s));
  EXPECT_EQ(life->scheduler.running(), 1u);
}

TEST_F(Scheduler, RunsManually) {
  const auto task = create("0 9 * * *", "hold");
  const auto run = run_now(task);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->trigger, Trigger::manual);
  EXPECT_EQ(run->outcome, Outcome::running);
  EXPECT_EQ(run_now(task).error().kind, web::Kind::conflict);
  release();
  EXPECT_EQ(history(task).at(0).id, run->id);
  EXPECT_EQ(history(task).at(0).outcome, Outcome::succeeded);
  EXPECT_EQ(look(task).next_run, at(2026, 11, 21, 9h)) << "the schedule stays as it is";
  EXPECT_EQ(run_now(task)->number, 2);
}

TEST_F(Scheduler, KeepsTheNewestFiftyRuns) {
  const auto task = create("* * * * *");
  for (int minute = 0; minute < 53; ++minute) pass(1min);
  const auto runs = history(task);
  ASSERT_EQ(runs.size(), 50u);
  EXPECT_EQ(runs.front().number, 53);
  EXPECT_EQ(runs.back().number, 4);
  EXPECT_EQ(life->tasks.history(owner, task.id, 2)->size(), 2u);
}

TEST_F(Scheduler, KeepsTheBeginningOfALongAnswer) {
  const auto task = create("0 9 * * *", std::string(5'000, 'x'));
  pass(1h);
  EXPECT_EQ(history(task).at(0).answer, "heard: " + std::string(3'993, 'x'));
}

TEST_F(Scheduler, ATaskRemovedWhileItRunsStaysRemoved) {
  const auto task = create("0 9 * * *", "hold");
  pass(1h);
  ASSERT_TRUE(remove(task));
  release();
  EXPECT_EQ(rows(schedule::tasks), 0u);
  EXPECT_EQ(rows(schedule::runs), 0u);
  EXPECT_EQ(life->system.counter(owner, schedule::count), 0);
}

class CrowdedScheduler : public Scheduler {
 protected:
  CrowdedScheduler() {
    options.max_running = 3;
    options.batch = 2;
    crash_and_come_back();
  }
};

TEST_F(CrowdedScheduler, RunsUpToItsConcurrencyLimit) {
  for (int i = 0; i < 5; ++i) create("0 9 * * *", "hold");
  pass(1h);
  EXPECT_EQ(asked().size(), 3u);
  tick();
  EXPECT_EQ(asked().size(), 3u);
  EXPECT_EQ(run_now(life->tasks.list(owner)[0]).error().kind,
            life->tasks.list(owner)[0].running ? web::Kind::conflict : web::Kind::unavailable);
  release();
  tick();
  EXPECT_EQ(asked().size(), 5u);
}

TEST_F(Scheduler, FindsDueTasksAmongMany) {
  auto change = life->system.change();
  for (int i = 0; i < 5'000; ++i) {
    schedule::Task task;
    task.owner = 1'000 + i;
    task.id = "st_" + std::to_string(i);
    task.agent = "ag_many";
    task.cron_schedule = "0 9 * * *";
    task.timezone = "UTC";
    task.prompt = "hello " + std::to_string(i);
    task.next_run = i % 10 == 0 ? at(2026, 11, 21, 9h) : at(2026, 12, 24);
    change.insert(schedule::tasks, task);
  }
  ASSERT_TRUE(change.commit_blocking().ok());
  pass(1h);
  EXPECT_EQ(asked().size(), 500u);
  EXPECT_EQ(life->system.find_range(schedule::tasks, "due", store::Time(), at(2026, 11, 22)).size(), 0u);
}

TEST_F(Scheduler, FindsATaskWrittenAfterItsTime) {
  pass(1h);
  schedule::Task late;
  late.owner = owner;
  late.id = "st_late";
  late.agent = "ag_ada";
  late.cron_schedule = "@hourly";
  late.timezone = "UTC";
  late.prompt = "late";
  late.next_run = now() - 30s;
  auto change = life->system.change();
  change.insert(schedule::tasks, late);
  ASSERT_TRUE(change.commit_blocking().ok());
  tick();
  EXPECT_THAT(asked(), ElementsAre("late"));
}

TEST_F(Scheduler, ContinuesWhenTheClockIsSetBack) {
  const auto before = create("0 9 * * *", "before");
  pass(3h);
  EXPECT_EQ(asked().size(), 1u);
  set_clock(at(2026, 11, 20, 8h));
  tick();
  create("30 8 * * *", "after");
  set_clock(at(2026, 11, 20, 8h + 30min));
  tick();
  EXPECT_THAT(asked(), ElementsAre("before", "after"));
  EXPECT_EQ(look(before).next_run, at(2026, 11, 20, 9h));
}

TEST_F(Scheduler, DisablesATaskWhoseTimeZoneIsGone) {
  const auto task = create("0 9 * * *");
  auto row = life->system.get(schedule::tasks, owner, task.id).value();
  row->timezone = "Atlantis/Poseidonis";
  auto change = life->system.change();
  change.update(schedule::tasks, row);
  ASSERT_TRUE(change.commit_blocking().ok());
  pass(1h);
  EXPECT_TRUE(asked().empty());
  EXPECT_FALSE(look(task).enabled);
  EXPECT_EQ(history(task).at(0).outcome, Outcome::skipped);
  EXPECT_THAT(history(task).at(0).error, HasSubstr("Atlantis/Poseidonis"));
}

TEST_F(Scheduler, RunsOnItsOwnTimer) {
  const auto task = create("* * * * * *");
  life->loop.run(life->scheduler.start());
  set_clock(now() + 1s);
  EXPECT_TRUE(eventually([&] { return asked().size() == 1; }));
  life->loop.run(life->scheduler.stop(10s));
  EXPECT_EQ(history(task).at(0).outcome, Outcome::succeeded);
}

TEST_F(Scheduler, OneUsersTasksDoNotStarveThoseOfAnother) {
  options.max_running = 4;
  options.max_per_owner = 3;
  options.batch = 2;
  crash_and_come_back();
  for (const auto* prompt : {"hold 1", "hold 2", "hold 3", "hold 4", "hold 5"}) create("0 9 * * *", prompt);
  auto other = wanted("1 9 * * *", "the other's");
  other.agent = "ag_eve";
  ASSERT_TRUE(try_create(other, stranger));
  pass(1h);
  EXPECT_EQ(asked().size(), 3u) << "two have to wait";
  pass(1min);
  EXPECT_EQ(asked().back(), "the other's");
  release();
  tick();
  EXPECT_EQ(asked().size(), 6u) << "and then they come";
}

}  // namespace schedule_scheduler_test
