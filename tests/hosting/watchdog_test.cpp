#include <gmock/gmock.h>

#include <boost/asio/redirect_error.hpp>
#include <map>
#include <set>

#include "appliance/runtime/watchdog/agenda.h"
#include "appliance/runtime/watchdog/watchdog.h"
#include "tests/hosting/agent_fixture.h"

namespace watchdog_test {

using namespace std::chrono_literals;
using namespace watchdog;
using agent_tests::eventually;
using agent_tests::Loop;
using agent_tests::TemporaryFolder;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(WatchdogAgenda, ReturnsTheEarliestFirstAndEachOnce) {
  Agenda agenda;
  const Agenda::TimePoint start{1h};
  agenda.set("later", start + 2s);
  agenda.set("soon", start + 1s);
  agenda.set("moved", start);
  agenda.set("moved", start + 3s);
  agenda.set("gone", start);
  agenda.clear("gone");
  EXPECT_EQ(agenda.next(), start + 1s);
  EXPECT_EQ(agenda.take(start), std::nullopt);
  EXPECT_EQ(agenda.take(start + 2s), "soon");
  EXPECT_EQ(agenda.take(start + 2s), "later");
  EXPECT_EQ(agenda.take(start + 2s), std::nullopt);
  EXPECT_EQ(agenda.take(start + 3s), "moved");
  EXPECT_EQ(agenda.next(), std::nullopt);
}

// A watchdog over a real store, whose actions are scripted: they note what they are asked for, and answer as the test
// says. Everything of theirs is used on the loop's thread.
class WatchdogAtWork : public testing::Test {
 protected:
  WatchdogAtWork() : store_(store::Store::open(options())) {
    policy.check_interval = policy.degraded_check_interval = 5ms;
    policy.pause_before_start = policy.pause_before_verify = 1ms;
  }
  ~WatchdogAtWork() override {
    open_gate();
    if (dog) loop.run(dog->stop());
    loop.stop();
  }

  void open() {
    WatchdogActions actions;
    actions.check = [this](Target target, Command) { return check(target.id); };
    actions.kill = [this](Target target, std::string) { return deed("kill " + target.id, target.id); };
    actions.start = [this](Target target, std::string) { return deed("start " + target.id, target.id); };
    actions.give_up = [this](Target target, std::string) { return deed("give up " + target.id, target.id); };
    actions.notify = [this](const Target& target, Notice notice, const std::string&) {
      told.push_back(target.id + " " + boost::describe::enum_to_string(notice, ""));
    };
    dog = std::make_unique<Watchdog>(store_->system(), policy, std::move(actions), loop.io, max_checks);
  }

  web::Task<Report> check(std::string id) {
    ++checks[id];
    max_at_once = std::max(max_at_once, ++at_once);
    while (gate_is_shut) {
      gate.expires_at(web::Timer::time_point::max());
      boost::system::error_code opened;
      co_await gate.async_wait(boost::asio::redirect_error(web::use_task, opened));
    }
    --at_once;
    const bool is_ill = ill.contains(id);
    if (is_ill) co_return Report{Outcome::bad, "Its gateway does not answer"};
    co_return Report{};
  }
  web::Task<Report> deed(std::string what, std::string id) {
    deeds.push_back(what);
    if (heals && what.starts_with("start")) ill.erase(id);
    if (throws) throw std::runtime_error("the store is read-only");
    co_return Report{};
  }

  // Runs `what` on the loop and returns what it returned.
  template <class What>
  auto on_loop(What what) {
    return boost::asio::post(loop.io, boost::asio::use_future(std::move(what))).get();
  }
  void begin(std::string id) {
    on_loop([&] { dog->begin(target(id)); });
  }
  void exited(std::string id) {
    on_loop([&] { dog->exited(target(id), "The agent ended with exit code 3"); });
  }
  void falls_ill(std::string id) {
    on_loop([&] { ill.insert(id); });
  }
  void shut_gate() {
    on_loop([&] { gate_is_shut = true; });
  }
  void open_gate() {
    on_loop([&] {
      gate_is_shut = false;
      gate.cancel();
    });
  }
  std::size_t checks_of(const std::string& id) {
    return on_loop([&] { return checks[id]; });
  }
  std::vector<std::string> done() {
    return on_loop([&] { return deeds; });
  }
  Watch look(const std::string& id) { return loop.run(dog->look(7, id)); }
  bool is(const std::string& id, State state) {
    return eventually([&] { return look(id).state == state; });
  }
  std::vector<State> states_of(const std::string& id) {
    std::vector<State> states;
    for (auto& event : look(id).history) states.push_back(event.state);
    return states;
  }
  static Target target(const std::string& id) { return {.owner = 7, .id = id, .name = "Scout", .port = 1}; }

  Loop loop;
  Policy policy;
  std::size_t max_checks = 256;
  std::unique_ptr<Watchdog> dog;
  bool heals = true, throws = false;
  std::vector<std::string> deeds, told;
  std::map<std::string, std::size_t> checks;
  std::set<std::string> ill;
  std::size_t at_once = 0, max_at_once = 0;

 private:
  store::Options options() {
    store::Options wanted;
    wanted.folder = data_.path() / "store";
    wanted.master_key = std::string(32, 'k');
    wanted.tables = {store::describe(watches)};
    return wanted;
  }
  TemporaryFolder data_;
  bool gate_is_shut = false;
  web::Timer gate{loop.io.get_executor()};
  std::unique_ptr<store::Store> store_;
};

TEST_F(WatchdogAtWork, AHealthyAgentIsCheckedPeriodically) {
  open();
  begin("a");
  ASSERT_TRUE(is("a", State::running));
  const auto before = checks_of("a");
  EXPECT_TRUE(eventually([&] { return checks_of("a") > before + 5; }));
  EXPECT_TRUE(look("a").last_probe);
  EXPECT_THAT(states_of("a"), ElementsAre(State::starting, State::running));
  EXPECT_THAT(done(), IsEmpty());
}

TEST_F(WatchdogAtWork, AHangingAgentIsRepairedAndReported) {
  open();
  begin("a");
  ASSERT_TRUE(is("a", State::running));
  falls_ill("a");
  ASSERT_TRUE(eventually([&] { return look("a").history.size() == 5; }));
  EXPECT_THAT(states_of("a"),
              ElementsAre(State::starting, State::running, State::degraded, State::repairing, State::running));
  EXPECT_THAT(done(), ElementsAre("kill a", "start a"));
  EXPECT_THAT(on_loop([&] { return told; }), ElementsAre("a degraded", "a repaired"));
  const auto now = look("a");
  EXPECT_EQ(now.repairs, 1);
  EXPECT_EQ(now.crashes, 0);
}

TEST_F(WatchdogAtWork, AnAgentThatCannotBeRepairedIsGivenUp) {
  heals = false;
  open();
  begin("a");
  ASSERT_TRUE(is("a", State::running));
  falls_ill("a");
  ASSERT_TRUE(is("a", State::crash_loop));
  EXPECT_TRUE(eventually([&] { return done().size() == 5; }));
  EXPECT_THAT(done(), ElementsAre("kill a", "start a", "kill a", "start a", "give up a"));
  const auto checked = checks_of("a");
  begin("b");
  EXPECT_TRUE(eventually([&] { return checks_of("b") > 5; }));
  EXPECT_EQ(checks_of("a"), checked) << "nobody asks it any more";
}

TEST_F(WatchdogAtWork, ACrashingAgentIsRestartedAtOnceAndFinallyGivenUp) {
  policy.check_interval = 1h;  // nothing here waits for a check
  open();
  begin("a");
  for (int crash = 1; crash <= 2; ++crash) {
    ASSERT_TRUE(is("a", State::running));
    exited("a");
  }
  ASSERT_TRUE(is("a", State::running));
  exited("a");
  EXPECT_TRUE(is("a", State::crash_loop));
  EXPECT_TRUE(eventually([&] { return done().size() == 3; }));
  EXPECT_THAT(done(), ElementsAre("start a", "start a", "give up a"));
  EXPECT_THAT(on_loop([&] { return told; }), ElementsAre("a crash_loop"));
  EXPECT_EQ(look("a").crashes, 3);
}

TEST_F(WatchdogAtWork, TheEndOfAnUnknownAgentIsHandled) {
  open();
  exited("a");
  EXPECT_TRUE(is("a", State::running));
  EXPECT_THAT(done(), ElementsAre("start a"));
  EXPECT_EQ(look("a").crashes, 1);
}

TEST_F(WatchdogAtWork, AnAgentWithAJobOfItsOwnerIsLeftAlone) {
  open();
  begin("a");
  ASSERT_TRUE(is("a", State::running));
  on_loop([&] {
    ill.insert("a");
    dog->release("a");
  });
  begin("b");
  const auto checked = checks_of("a");
  EXPECT_TRUE(eventually([&] { return checks_of("b") > 5; }));
  EXPECT_LE(checks_of("a"), checked + 1) << "but for one that was on its way";
  EXPECT_THAT(done(), IsEmpty());
}

TEST_F(WatchdogAtWork, AnAnswerFromBeforeARestartIsIgnored) {
  policy.check_interval = 1h;
  policy.startup_failure_threshold = 1;
  open();
  shut_gate();
  begin("a");
  falls_ill("a");
  ASSERT_TRUE(eventually([&] { return checks_of("a") == 1; }));
  on_loop([&] {
    dog->release("a");
    dog->stopped(7, "a");
  });
  open_gate();
  EXPECT_EQ(look("a").state, State::stopped);
  EXPECT_TRUE(eventually([&] { return on_loop([&] { return at_once; }) == 0; }));
  EXPECT_EQ(look("a").state, State::stopped);
}

TEST_F(WatchdogAtWork, ConcurrentChecksAreBoundedAndAllAreMade) {
  max_checks = 4;
  policy.check_interval = 1h;
  open();
  shut_gate();
  on_loop([&] {
    for (int agent = 0; agent < 50; ++agent) dog->begin(target("a" + std::to_string(agent)));
  });
  open_gate();
  for (int agent = 0; agent < 50; ++agent) EXPECT_TRUE(is("a" + std::to_string(agent), State::running)) << agent;
  EXPECT_EQ(on_loop([&] { return max_at_once; }), 4u);
}

TEST_F(WatchdogAtWork, StatesSurviveARestart) {
  open();
  begin("a");
  ASSERT_TRUE(is("a", State::running));
  falls_ill("a");
  ASSERT_TRUE(eventually([&] { return look("a").history.size() == 5; }));
  const auto before = look("a");
  loop.run(dog->stop());
  open();
  on_loop([&] { dog->resume(target("a")); });
  const auto after = look("a");
  EXPECT_EQ(after.state, State::running);
  EXPECT_EQ(after.since, before.since) << "a restart of the box is no news";
  EXPECT_EQ(after.history.size(), before.history.size());
  EXPECT_EQ(after.repairs, 1);
  const auto checked = checks_of("a");
  EXPECT_TRUE(eventually([&] { return checks_of("a") > checked; }));
}

TEST_F(WatchdogAtWork, TheHistoryIsBounded) {
  policy.crash_loop_threshold = 1'000;
  policy.check_interval = 1h;
  open();
  begin("a");
  for (std::size_t crash = 0; crash < history_kept; ++crash) {
    ASSERT_TRUE(is("a", State::running));
    exited("a");
  }
  ASSERT_TRUE(is("a", State::running));
  const auto now = look("a");
  EXPECT_EQ(now.history.size(), history_kept);
  EXPECT_EQ(now.crashes, std::int64_t(history_kept));
  EXPECT_EQ(now.history.back().state, State::running) << "the newest stay";
}

TEST_F(WatchdogAtWork, ARemovedAgentLeavesNothing) {
  open();
  begin("a");
  ASSERT_TRUE(is("a", State::running));
  const auto forget = [](Watchdog& watching) -> web::Task<> { co_await watching.forget(7, "a"); };
  loop.run(forget(*dog));
  EXPECT_EQ(look("a").state, State::stopped);
  EXPECT_THAT(look("a").history, IsEmpty());
}

TEST_F(WatchdogAtWork, FailedActionsAreRetried) {
  policy.check_interval = policy.degraded_check_interval = 1ms;
  throws = true;
  open();
  begin("a");
  ASSERT_TRUE(is("a", State::running));
  exited("a");
  EXPECT_TRUE(eventually([&] { return done().size() > 3; }));
  on_loop([&] { throws = false; });
  EXPECT_TRUE(is("a", State::running));
  EXPECT_EQ(look("a").crashes, 1);
}

}  // namespace watchdog_test
