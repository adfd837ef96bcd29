// Runs due tasks. All enabled tasks are in one index ordered by their next run, so that a tick costs the same with ten
// tasks and a million. A run is stored before its prompt is sent and again when it has ended, so that a crash neither
// loses nor repeats it.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/hosting/schedule/records.h"
#include "appliance/hosting/schedule/tasks.h"
#include "appliance/hosting/schedule/time_zone.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace schedule {

// Sends a prompt to an agent of a user and returns its answer.
using Sender = std::function<web::Task<web::Result<std::string>>(Run, std::string prompt)>;

// Tells the owner of a task how a run of it has ended. Must not throw.
using Teller = std::function<web::Task<>(Task, web::Result<std::string> answer)>;

struct SchedulerOptions {
  std::size_t max_running = 1'024;     // further due runs wait
  std::size_t max_per_owner = 256;     // further due runs of the owner wait, those of others do not
  std::size_t batch = 100;             // runs started in one commit
  std::chrono::seconds tolerance{60};  // a run that would start later counts as missed (the machine slept)
};

class Scheduler {
 public:
  // Runs on `home`. The teller is for tasks with tells_owner. All arguments must outlive it.
  Scheduler(store::System, const TimeZones&, Sender, Teller, Clock, boost::asio::io_context& home,
            SchedulerOptions = {});
  ~Scheduler();  // after stop(), or with `home` stopped

  // recover(), then a tick five times a second.
  web::Task<> start();
  // Starts no more runs and waits for running ones, at most `grace`. recover() handles interrupted ones.
  web::Task<> stop(std::chrono::steady_clock::duration grace);

  // Called before the first tick. Marks runs interrupted by the end of the box as failed; they become due again if
  // their task catches up, unless they were catch-up runs themselves. Runs due before this call count as missed. Next
  // runs computed while the clock was ahead are recomputed, here and when a tick finds that it was set back.
  web::Task<> recover();
  // Starts due runs. Missed ones are made up or skipped according to their task's CatchUp.
  web::Task<> tick();
  // Starts a run at once, also of a disabled task. not_found; conflict while the task is running; unavailable when too
  // many runs are running or the box is stopping. Thread-safe.
  web::Task<web::Result<Run>> run_now(store::UserId, std::string task);

  std::size_t running() const { return running_; }

 private:
  struct StartedRun {
    Run run;
    std::string prompt;
  };
  web::Task<> tick_unless_paused();
  std::optional<StartedRun> take(store::Change&, Task&, store::Time now);
  StartedRun begin(store::Change&, Task&, Trigger, store::Time due, store::Time now) const;
  void skip(store::Change&, Task&, store::Time due, store::Time now, std::string why) const;
  void insert(store::Change&, const Run&) const;
  void note_overlap(store::Change&, const Task&) const;
  void launch(StartedRun);
  std::size_t running_of(store::UserId) const;
  web::Task<> perform(StartedRun);
  web::Task<web::Result<std::string>> ask(Run, std::string prompt);
  web::Task<std::optional<StartedRun>> finish(Run, web::Result<std::string> answer);
  web::Task<> fail_interrupted(Run);
  // Whether the clock was set back since the last call by more than a minute.
  bool was_clock_set_back(store::Time now);
  // Recomputes the next runs that are yet to come, and keeps the earlier one; of all tasks, or only of those that ran
  // or were changed at a time that is yet to come.
  web::Task<> recompute(store::Time now, bool only_from_ahead);
  web::Task<> recompute(store::UserId, std::string task, store::Time now);

  store::System system_;
  const TimeZones& zones_;
  const Sender send_;
  const Teller tell_;
  const Clock clock_;
  boost::asio::io_context& home_;
  const SchedulerOptions options_;
  agentbox::Periodic ticks_;

  std::atomic<std::size_t> running_{0};
  mutable std::mutex mutex_;                         // protects running_of_
  std::map<store::UserId, std::size_t> running_of_;  // by owner; entries above zero only
  std::atomic<bool> stopping_{false};
  // Used on the home thread only.
  web::Timer all_ended_;
  store::Time began_{};  // recover()
  std::chrono::steady_clock::time_point paused_until_{};
  // Of the last tick, by both clocks.
  std::optional<store::Time> last_tick_;
  std::chrono::steady_clock::time_point last_tick_steady_{};
  store::Time searched_{};  // no task in the index is due before this time
};

}  // namespace schedule
