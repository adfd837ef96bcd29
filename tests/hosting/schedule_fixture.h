// Scheduled prompts over a real store, with a clock that the test moves and agents that do as their prompts say:
//   hold...   no answer until the test releases it      fail...   the agent fails      throw...  the box fails
// and everything else is answered with "heard: <prompt>".
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/redirect_error.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/access/records.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/gate/records.h"
#include "appliance/hosting/schedule/scheduler.h"
#include "appliance/hosting/schedule/tasks.h"
#include "tests/hosting/agent_fixture.h"

namespace schedule_tests {

using namespace std::chrono_literals;
using agent_tests::eventually;

inline store::Time at(int year, unsigned month, unsigned day, std::chrono::milliseconds time = 0ms) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)) + time;
}

class ScheduleTest : public testing::Test {
 protected:
  static constexpr store::UserId owner = 7, stranger = 8;

  ScheduleTest() {
    come_back();
    add_agent(owner, "ag_ada");
    add_agent(stranger, "ag_eve");
  }
  ~ScheduleTest() override { crash(); }

  // One life of the box. Its end without stop() is a crash.
  struct Life {
    Life(ScheduleTest& test, const schedule::SchedulerOptions& options)
        : store(store::Store::open(test.store_options())),
          system(store->system()),
          tasks(system, subscriptions, zones, test.clock()),
          scheduler(system, zones, test.sender(), test.teller(), test.clock(), loop.io, options) {}
    ~Life() { loop.stop(); }
    agent_tests::Loop loop;
    std::unique_ptr<store::Store> store;
    store::System system;
    billing::Subscriptions subscriptions{system};
    schedule::TimeZones zones;
    schedule::Tasks tasks;
    schedule::Scheduler scheduler;
  };

  void crash() {
    if (life) life->loop.stop();
    held_.clear();  // timers go before what they run on
    life.reset();
  }
  void come_back() {
    life = std::make_unique<Life>(*this, options);
    life->loop.run(life->scheduler.recover());
  }
  void crash_and_come_back() {
    crash();
    come_back();
  }

  store::Time now() const { return now_; }
  void set_clock(store::Time time) { now_ = time; }
  // The clock goes on, and the scheduler looks.
  void pass(std::chrono::milliseconds time) {
    now_ = now() + time;
    tick();
  }
  // Returns once what begins has ended or is held.
  void tick() {
    life->loop.run(life->scheduler.tick());
    settle();
  }
  void settle() {
    EXPECT_TRUE(eventually([&] {
      const std::scoped_lock lock(mutex_);
      return life->scheduler.running() == held_.size();
    }));
  }
  // Lets everything that is held answer; what then begins to be held stays so.
  void release() {
    std::vector<std::shared_ptr<web::Timer>> released;
    {
      const std::scoped_lock lock(mutex_);
      released.swap(held_);
    }
    for (auto& timer : released) boost::asio::post(life->loop.io, [timer] { timer->expires_after(0s); });
    settle();
  }

  schedule::NewTask wanted(std::string cron, std::string prompt = "good morning") {
    schedule::NewTask task;
    task.name = "A task";
    task.agent = "ag_ada";
    task.cron_schedule = std::move(cron);
    task.prompt = std::move(prompt);
    task.timezone = "UTC";
    return task;
  }
  web::Result<schedule::Task> try_create(schedule::NewTask task, store::UserId user = owner) {
    return life->loop.run(life->tasks.create(user, std::move(task)));
  }
  schedule::Task create(schedule::NewTask task) {
    auto made = try_create(std::move(task));
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? *made : schedule::Task{};
  }
  schedule::Task create(std::string cron, std::string prompt = "good morning") {
    return create(wanted(std::move(cron), std::move(prompt)));
  }
  web::Result<schedule::Task> change(const schedule::Task& task, schedule::Changes changes,
                                     store::UserId user = owner) {
    return life->loop.run(life->tasks.change(user, task.id, std::move(changes)));
  }
  web::Result<void> remove(const schedule::Task& task, store::UserId user = owner) {
    return life->loop.run(life->tasks.remove(user, task.id));
  }
  web::Result<schedule::Run> run_now(const schedule::Task& task, store::UserId user = owner) {
    auto run = life->loop.run(life->scheduler.run_now(user, task.id));
    settle();
    return run;
  }
  schedule::Task look(const schedule::Task& task) { return life->tasks.find(owner, task.id).value(); }
  // Newest first.
  std::vector<schedule::Run> history(const schedule::Task& task) {
    return life->tasks.history(owner, task.id, std::size_t(schedule::runs_kept)).value();
  }
  std::vector<std::string> asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  void add_agent(store::UserId user, std::string id) {
    agents::Agent agent;
    agent.owner = user;
    agent.id = std::move(id);
    auto change = life->system.change();
    change.insert(agents::records, agent);
    EXPECT_TRUE(change.commit_blocking().ok());
  }
  template <class R>
  std::size_t rows(const store::Owned<R>& table) {
    std::size_t number = 0;
    life->system.each<R>(table, [&](const R&) { return ++number > 0; });
    return number;
  }

  schedule::SchedulerOptions options;
  std::vector<std::string> told;  // to owners
  std::unique_ptr<Life> life;

 private:
  store::Options store_options() const {
    store::Options wanted;
    wanted.folder = data_.path() / "store";
    wanted.master_key = std::string(32, 'k');
    wanted.tables = {store::describe(accounts::users),       store::describe(billing::subscriptions),
                     store::describe(billing::plan_periods), store::describe(agents::records),
                     store::describe(schedule::tasks),       store::describe(schedule::runs),
                     store::describe(gate::plan_rules)};
    return wanted;
  }
  schedule::Clock clock() {
    return [this] { return now(); };
  }
  schedule::Sender sender() {
    return [this](schedule::Run, std::string prompt) { return answer(std::move(prompt)); };
  }
  schedule::Teller teller() {
    return [this](schedule::Task task, web::Result<std::string> answer) -> web::Task<> {
      told.push_back(task.name + ": " + (answer ? *answer : answer.error().message));
      co_return;
    };
  }
  web::Task<web::Result<std::string>> answer(std::string prompt) {
    std::shared_ptr<web::Timer> wait;
    {
      const std::scoped_lock lock(mutex_);
      asked_.push_back(prompt);
      if (prompt.starts_with("hold")) {
        wait = std::make_shared<web::Timer>(life->loop.io, web::Timer::time_point::max());
        held_.push_back(wait);
      }
    }
    if (prompt.starts_with("throw")) throw std::runtime_error("out of spoons");
    if (prompt.starts_with("fail"))
      co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The agent did not answer: no spoon."};
    boost::system::error_code woken;
    if (wait) co_await wait->async_wait(boost::asio::redirect_error(web::use_task, woken));
    co_return "heard: " + prompt;
  }

  const agent_tests::TemporaryFolder data_;
  std::atomic<store::Time> now_{at(2026, 11, 21, 8h)};  // a Saturday
  mutable std::mutex mutex_;
  // Protected by mutex_.
  std::vector<std::string> asked_;
  std::vector<std::shared_ptr<web::Timer>> held_;
};

}  // namespace schedule_tests
