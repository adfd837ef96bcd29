#include <gmock/gmock.h>

#include <random>

#include "appliance/runtime/watchdog/state_machine.h"

namespace watchdog_machine_test {

using namespace std::chrono_literals;
using namespace watchdog;
using testing::HasSubstr;

// One agent's machine and a clock that is turned by hand. The last step stays to be looked at.
class WatchdogMachine : public testing::Test {
 protected:
  void begin() { step = machine().begin(now); }
  void report(Outcome outcome, std::string why = {}) { step = machine().report(now, step.ticket, {outcome, why}); }
  void healthy() { report(Outcome::good); }
  void unhealthy() { report(Outcome::bad, "It does not answer"); }
  void done() { report(Outcome::good); }
  void exited() { step = machine().exited(now, "The agent ended with exit code 3"); }
  // Goes on to the moment the machine asked for; returns how long that was.
  std::chrono::milliseconds sleep() {
    if (!step.wake_at) throw std::logic_error("the machine waits for nothing");
    const auto slept = *step.wake_at - now;
    now = *step.wake_at;
    step = machine().wake(now);
    return std::chrono::duration_cast<std::chrono::milliseconds>(slept);
  }
  void is_running() {
    begin();
    healthy();
    ASSERT_EQ(state(), State::running);
  }
  void is_degraded() {
    is_running();
    sleep();
    unhealthy();
    ASSERT_EQ(state(), State::degraded);
  }
  // In the first pause of its repair.
  void is_killed() {
    is_degraded();
    sleep();
    unhealthy();
    ASSERT_EQ(state(), State::repairing);
    ASSERT_EQ(step.command, Command::kill);
    done();
  }
  // Killed, started, and about to be checked.
  void is_repaired_so_far() {
    is_killed();
    sleep();
    ASSERT_EQ(step.command, Command::start);
    done();
    sleep();
    ASSERT_EQ(step.command, Command::check_ready);
  }

  Machine& machine() {
    if (!machine_) machine_.emplace(policy, 1);
    return *machine_;
  }
  State state() { return machine().state(); }

  Policy policy;
  TimePoint now{1h};
  Step step;

 private:
  std::optional<Machine> machine_;
};

MATCHER_P2(IsBetween, low, high, "") { return arg >= low && arg <= high; }

TEST_F(WatchdogMachine, NothingIsDoneForAnAgentThatWasNeverStarted) {
  EXPECT_EQ(state(), State::stopped);
  exited();
  EXPECT_EQ(step.command, Command::nothing);
  EXPECT_FALSE(step.wake_at);
}

TEST_F(WatchdogMachine, AStartedAgentIsCheckedAtOnce) {
  begin();
  EXPECT_EQ(state(), State::starting);
  EXPECT_EQ(step.command, Command::check_ready);
  EXPECT_FALSE(step.wake_at) << "nothing else is due while it is asked";
}

TEST_F(WatchdogMachine, TheFirstHealthyCheckMakesItRunning) {
  begin();
  healthy();
  EXPECT_EQ(state(), State::running);
  EXPECT_TRUE(step.entered);
  EXPECT_FALSE(step.notice) << "that is what everybody expects";
  EXPECT_THAT(sleep(), IsBetween(108s, 120s));
  EXPECT_EQ(step.command, Command::check_live);
}

TEST_F(WatchdogMachine, AStartingAgentHasThreeChecks) {
  begin();
  for (int check = 1; check <= 2; ++check) {
    unhealthy();
    EXPECT_EQ(state(), State::starting);
    EXPECT_THAT(sleep(), IsBetween(4500ms, 5s));
    EXPECT_EQ(step.command, Command::check_ready);
  }
  unhealthy();
  EXPECT_EQ(state(), State::degraded);
  EXPECT_EQ(step.notice, Notice::degraded);
}

TEST_F(WatchdogMachine, OnlyConsecutiveFailuresCount) {
  policy.startup_failure_threshold = 2;
  begin();
  unhealthy();
  sleep();
  healthy();
  ASSERT_EQ(state(), State::running);
  begin();
  unhealthy();
  EXPECT_EQ(state(), State::starting);
}

TEST_F(WatchdogMachine, ARunningAgentIsCheckedPeriodically) {
  is_running();
  for (int check = 0; check < 3; ++check) {
    sleep();
    healthy();
    EXPECT_EQ(state(), State::running);
    EXPECT_FALSE(step.entered);
  }
}

TEST_F(WatchdogMachine, ARunningAgentWhoseOwnerLooksIsCheckedAtOnce) {
  is_running();
  now += 3s;
  step = machine().check_now(now);
  EXPECT_EQ(step.command, Command::check_live);
  EXPECT_FALSE(step.wake_at) << "nothing else is due while it is asked";
  const auto ticket = step.ticket;
  EXPECT_EQ(machine().check_now(now).command, Command::nothing) << "it is asked already";
  step = machine().report(now, ticket, {Outcome::good, {}});
  EXPECT_EQ(state(), State::running);
  EXPECT_THAT(sleep(), IsBetween(108s, 120s));
}

TEST_F(WatchdogMachine, OnlyARunningAgentIsCheckedBecauseItsOwnerLooks) {
  is_degraded();
  const auto due = step.wake_at;
  step = machine().check_now(now);
  EXPECT_EQ(step.command, Command::nothing);
  EXPECT_EQ(step.wake_at, due);
}

TEST_F(WatchdogMachine, AFailedCheckDegradesItAndItIsCheckedMoreOften) {
  is_running();
  sleep();
  unhealthy();
  EXPECT_EQ(state(), State::degraded);
  EXPECT_EQ(step.notice, Notice::degraded);
  EXPECT_EQ(step.why, "It does not answer");
  EXPECT_EQ(step.command, Command::nothing) << "it gets a chance to answer again";
  EXPECT_THAT(sleep(), IsBetween(4500ms, 5s));
}

TEST_F(WatchdogMachine, AnAgentThatAnswersAgainIsNotRepaired) {
  is_degraded();
  sleep();
  healthy();
  EXPECT_EQ(state(), State::running);
  EXPECT_EQ(step.notice, Notice::recovered);
  EXPECT_EQ(machine().repair_attempts(), 0u);
}

TEST_F(WatchdogMachine, ARepairKillsWaitsStartsWaitsAndVerifies) {
  is_degraded();
  sleep();
  unhealthy();
  EXPECT_EQ(state(), State::repairing);
  EXPECT_EQ(step.command, Command::kill);
  EXPECT_FALSE(step.wake_at);
  done();
  EXPECT_EQ(sleep(), 5s);
  EXPECT_EQ(step.command, Command::start);
  done();
  EXPECT_EQ(sleep(), 30s);
  EXPECT_EQ(step.command, Command::check_ready);
  healthy();
  EXPECT_EQ(state(), State::running);
  EXPECT_EQ(step.notice, Notice::repaired);
  EXPECT_EQ(machine().repair_attempts(), 0u) << "the next trouble has all attempts again";
}

TEST_F(WatchdogMachine, TwoFailedRepairsAreACrashLoop) {
  is_repaired_so_far();
  unhealthy();
  EXPECT_EQ(step.command, Command::kill) << "the second attempt";
  EXPECT_TRUE(step.entered) << "each attempt is a line of the history";
  done();
  sleep();
  done();
  sleep();
  unhealthy();
  EXPECT_EQ(state(), State::crash_loop);
  EXPECT_EQ(step.command, Command::give_up);
  EXPECT_EQ(step.notice, Notice::crash_loop);
  EXPECT_EQ(step.why, "It does not answer; after 2 attempts to repair it it is not started again.");
  EXPECT_FALSE(step.wake_at) << "nothing more is done";
}

TEST_F(WatchdogMachine, ARepairWhoseStartFailsHasFailed) {
  is_killed();
  sleep();
  report(Outcome::bad, "The agent was not ready within 15000 ms.");
  EXPECT_EQ(step.command, Command::kill);
  EXPECT_EQ(step.why, "The agent was not ready within 15000 ms");
  EXPECT_EQ(machine().repair_attempts(), 2u);
}

TEST_F(WatchdogMachine, AnEndCausedByARepairIsNoCrash) {
  is_degraded();
  sleep();
  unhealthy();
  const auto kill = step;
  exited();
  EXPECT_FALSE(step.crashed);
  step = kill;
  done();
  const auto pause = step;
  exited();
  EXPECT_FALSE(step.crashed);
  EXPECT_EQ(step.wake_at, pause.wake_at) << "the pause goes on";
  sleep();
  EXPECT_EQ(step.command, Command::start);
  const auto start = step;
  exited();
  EXPECT_FALSE(step.crashed) << "the start will tell";
  EXPECT_EQ(machine().report(now, start.ticket, {}).wake_at, now + 30s);
}

TEST_F(WatchdogMachine, ACrashAfterARepairIsRepairedOnceMore) {
  is_killed();
  sleep();
  done();
  exited();
  EXPECT_TRUE(step.crashed);
  EXPECT_EQ(state(), State::repairing);
  EXPECT_EQ(step.command, Command::kill);
  EXPECT_EQ(machine().repair_attempts(), 2u);
}

TEST_F(WatchdogMachine, AnUnavailableEngineDoesNotCountAsAnAttempt) {
  for (const auto at_work : {Command::kill, Command::start}) {
    is_degraded();
    sleep();
    unhealthy();
    if (at_work == Command::start) {
      done();
      sleep();
    }
    ASSERT_EQ(step.command, at_work);
    report(Outcome::unknown, "Docker does not answer");
    EXPECT_EQ(state(), State::degraded);
    EXPECT_FALSE(step.notice) << "that has been told";
    EXPECT_EQ(machine().repair_attempts(), 0u);
    sleep();
    EXPECT_EQ(step.command, Command::check_live);
  }
}

TEST_F(WatchdogMachine, ACrashIsHandledAtOnce) {
  is_running();
  exited();
  EXPECT_TRUE(step.crashed);
  EXPECT_EQ(state(), State::starting);
  EXPECT_EQ(step.command, Command::start);
  EXPECT_EQ(step.why, "The agent ended with exit code 3; it is started again.");
  EXPECT_FALSE(step.notice);
  done();
  EXPECT_EQ(step.command, Command::check_ready);
  healthy();
  EXPECT_EQ(state(), State::running);
}

TEST_F(WatchdogMachine, ACrashDuringACheckOverridesItsAnswer) {
  is_running();
  sleep();
  const auto asked = step;
  exited();
  const auto restart = step;
  const auto late = machine().report(now, asked.ticket, {Outcome::bad, "It does not answer"});
  EXPECT_EQ(late.command, Command::nothing);
  EXPECT_FALSE(late.entered);
  EXPECT_EQ(machine().report(now, restart.ticket, {}).command, Command::check_ready);
}

TEST_F(WatchdogMachine, ThreeCrashesInTheWindowAreACrashLoop) {
  is_running();
  for (int crash = 1; crash <= 2; ++crash) {
    exited();
    ASSERT_EQ(state(), State::starting);
    done();
    healthy();
    now += 149s;
  }
  exited();
  EXPECT_EQ(state(), State::crash_loop);
  EXPECT_EQ(step.command, Command::give_up);
  EXPECT_EQ(step.notice, Notice::crash_loop);
  EXPECT_THAT(step.why, HasSubstr("it ended 3 times within 300 seconds"));
}

TEST_F(WatchdogMachine, CrashesOutsideTheWindowAreNoLoop) {
  is_running();
  for (int crash = 1; crash <= 20; ++crash) {
    now += 151s;
    exited();
    ASSERT_EQ(state(), State::starting) << "crash " << crash;
    done();
    healthy();
  }
  EXPECT_LE(machine().recent_crashes(), 2u);
}

TEST_F(WatchdogMachine, AFailedStartIsACrashAndIsRetriedLater) {
  is_running();
  exited();
  report(Outcome::bad, "The agent ended with exit code 1 before it was ready");
  EXPECT_TRUE(step.crashed);
  EXPECT_EQ(state(), State::starting);
  EXPECT_EQ(sleep(), 5s);
  EXPECT_EQ(step.command, Command::start);
  report(Outcome::bad, "The agent ended with exit code 1 before it was ready");
  EXPECT_EQ(state(), State::crash_loop);
}

TEST_F(WatchdogMachine, AStartWithoutAnEngineIsRetriedAndDoesNotCount) {
  is_running();
  exited();
  for (int attempt = 0; attempt < 10; ++attempt) {
    report(Outcome::unknown, "Docker does not answer");
    EXPECT_FALSE(step.crashed);
    EXPECT_EQ(sleep(), 5s);
    ASSERT_EQ(step.command, Command::start);
  }
}

TEST_F(WatchdogMachine, WithoutAutoRepairFailuresAreOnlyReported) {
  policy.auto_repair = false;
  is_degraded();
  for (int check = 0; check < 5; ++check) {
    EXPECT_THAT(sleep(), IsBetween(4500ms, 5s));
    unhealthy();
    EXPECT_EQ(state(), State::degraded);
    EXPECT_EQ(step.command, Command::nothing);
    EXPECT_FALSE(step.notice) << "once is enough";
  }
  sleep();
  healthy();
  EXPECT_EQ(state(), State::running);
  EXPECT_EQ(step.notice, Notice::recovered);
}

TEST_F(WatchdogMachine, WithoutAutoRepairAnEndedAgentStaysStopped) {
  policy.auto_repair = false;
  is_running();
  exited();
  EXPECT_EQ(state(), State::degraded);
  EXPECT_EQ(step.notice, Notice::degraded);
  EXPECT_EQ(step.command, Command::give_up);
  EXPECT_FALSE(step.wake_at);
  exited();
  EXPECT_FALSE(step.crashed);
  begin();
  EXPECT_EQ(step.command, Command::check_ready) << "its owner has started it";
}

TEST_F(WatchdogMachine, WithoutAutoRepairACrashLoopIsReported) {
  policy.auto_repair = false;
  policy.crash_loop_threshold = 1;
  is_running();
  exited();
  EXPECT_EQ(state(), State::crash_loop);
}

TEST_F(WatchdogMachine, AStartByTheOwnerResetsTheCounts) {
  is_running();
  for (int crash = 1; crash <= 3; ++crash) {
    exited();
    if (state() == State::starting) {
      done();
      healthy();
    }
  }
  ASSERT_EQ(state(), State::crash_loop);
  is_running();
  exited();
  EXPECT_EQ(state(), State::starting);
}

TEST_F(WatchdogMachine, AnAdoptedAgentIsCheckedSoonWithoutAReport) {
  step = machine().resume(now);
  EXPECT_EQ(state(), State::running);
  EXPECT_FALSE(step.entered);
  EXPECT_THAT(sleep(), IsBetween(0s, 5s));
  EXPECT_EQ(step.command, Command::check_live);
}

TEST_F(WatchdogMachine, AnEarlyTimerDoesNothing) {
  is_running();
  const auto due = step.wake_at;
  step = machine().wake(*due - 1ms);
  EXPECT_EQ(step.command, Command::nothing);
  EXPECT_EQ(step.wake_at, due);
}

// What must hold whatever happens in whatever order.
TEST(WatchdogMachineInAnyOrder, RequestsOneActionAtATimeAndCountsCorrectly) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned below) { return unsigned(random() % below); };
    Policy policy;
    policy.auto_repair = pick(4) != 0;
    policy.startup_failure_threshold = 1 + pick(3);
    policy.max_repair_attempts = 1 + pick(3);
    policy.crash_loop_threshold = 1 + pick(4);
    policy.crash_loop_window = std::chrono::seconds(1 + pick(300));
    Machine machine(policy, seed);
    TimePoint now{1h};
    Step step;
    std::vector<TimePoint> crashes;  // as counted here, since it began
    std::optional<Step> at_work;     // a command that has not been reported
    std::optional<TimePoint> due;
    for (int turn = 0; turn < 400; ++turn) {
      const auto event = pick(10);
      if (event == 0) {
        step = machine.begin(now);
        crashes.clear();
      } else if (event <= 2) {
        step = machine.exited(now, "The agent ended");
      } else if (event <= 7 && at_work) {
        const auto outcome = pick(3) == 0 ? Outcome::bad : pick(8) == 0 ? Outcome::unknown : Outcome::good;
        step = machine.report(now, at_work->ticket, {outcome, "It does not answer"});
        at_work.reset();
      } else if (event == 8) {
        step = machine.report(now, std::uint64_t(pick(1000)) + 1'000'000, {Outcome::bad, "from another time"});
        ASSERT_EQ(step.command, Command::nothing);
      } else {
        now = due ? std::max(now, *due) : now + std::chrono::seconds(pick(30));
        step = machine.wake(now);
      }
      due = step.wake_at;
      const auto where = testing::Message() << "seed " << seed << ", turn " << turn;
      const auto changes_it = [](const Step& one) {
        return one.command == Command::kill || one.command == Command::start;
      };
      if (event != 0) {  // an owner's start takes it out of the watchdog's hands
        ASSERT_FALSE(at_work && changes_it(*at_work) && changes_it(step)) << "two repairs at once; " << where;
      }
      if (step.command == Command::give_up)
        at_work.reset();
      else if (step.command != Command::nothing)
        at_work = step;

      if (step.crashed) {
        crashes.push_back(now);
        std::erase_if(crashes, [&](auto at) { return at < now - policy.crash_loop_window; });
        if (crashes.size() >= policy.crash_loop_threshold) {
          ASSERT_EQ(machine.state(), State::crash_loop) << where;
          ASSERT_EQ(step.notice, Notice::crash_loop) << where;
        }
      }
      ASSERT_LT(machine.recent_crashes(), policy.crash_loop_threshold) << where;
      ASSERT_LE(machine.repair_attempts(), policy.max_repair_attempts) << where;
      ASSERT_FALSE(due && at_work) << "a moment and a report are never awaited together; " << where;
      const bool is_over = machine.state() == State::stopped || machine.state() == State::crash_loop;
      if (is_over) {
        ASSERT_FALSE(due || at_work) << where;
      }
      if (!is_over && !due && !at_work) {
        ASSERT_TRUE(machine.state() == State::degraded && !policy.auto_repair) << "it is never forgotten; " << where;
      }
      if (machine.state() == State::repairing) {
        ASSERT_TRUE(policy.auto_repair) << where;
      }
    }
  }
}

}  // namespace watchdog_machine_test
