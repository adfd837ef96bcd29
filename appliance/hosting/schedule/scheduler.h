// Runs what comes due. Every task that is enabled stands in one index, ordered by its next run: a look at it costs the
// same with ten tasks and a million. A run is written before its prompt is sent and once more when it has ended, so
// that no crash loses it and none runs twice.
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

// Sends a prompt to an agent of a user; its answer, or why there is none.
using Sender = std::function<web::Task<web::Result<std::string>>(store::UserId, std::string agent, std::string prompt)>;

struct SchedulerOptions {
  std::size_t most_at_work = 1'024;   // what comes due beyond that waits for room
  std::size_t most_of_one = 256;      // of one owner: what else is due of them waits, and others' comes first
  std::size_t batch = 100;            // runs begun in one commit
  std::chrono::seconds patience{60};  // a run that begins later than that has been missed (the machine slept)
};

class Scheduler {
 public:
  // Everything happens on `home`, except what run_now is called for. All of them must outlive it.
  Scheduler(store::System, const TimeZones&, Sender, Clock, boost::asio::io_context& home, SchedulerOptions = {});
  ~Scheduler();  // after stop(), or with `home` stopped

  // recover(), then a tick five times a second.
  web::Task<> start();
  // Begins nothing more and waits for the runs at work, no longer than `grace`: what is cut off is for recover().
  web::Task<> stop(std::chrono::steady_clock::duration grace);

  // Whatever was at work when the box ended has failed; it comes due once more when its task catches up, unless it was
  // such a catch-up itself. What is due by this moment counts as missed. Before the first tick.
  web::Task<> recover();
  // Begins what is due by now. Runs that are missed are made up or left out, as their task wants.
  web::Task<> tick();
  // Begins a run at once, also of a task that is disabled. not_found; conflict while it is at work; unavailable when
  // too many runs are, and once the box stops. Callable from every thread.
  web::Task<web::Result<Run>> run_now(store::UserId, std::string task);

  std::size_t at_work() const { return at_work_; }

 private:
  struct Begun {
    Run run;
    std::string prompt;
  };
  web::Task<> tick_unless_resting();
  std::optional<Begun> take(store::Change&, Task&, store::Time now);
  Begun begin(store::Change&, Task&, Trigger, store::Time due, store::Time now) const;
  void leave_out(store::Change&, Task&, store::Time due, store::Time now, std::string why) const;
  void insert(store::Change&, const Run&) const;
  void note_overlap(store::Change&, const Task&) const;
  void launch(Begun);
  std::size_t at_work_of(store::UserId) const;
  web::Task<> perform(Begun);
  web::Task<web::Result<std::string>> ask(Run, std::string prompt);
  web::Task<std::optional<Begun>> finish(Run, web::Result<std::string> answer);
  web::Task<> fail_interrupted(Run);

  store::System system_;
  const TimeZones& zones_;
  const Sender send_;
  const Clock clock_;
  boost::asio::io_context& home_;
  const SchedulerOptions options_;
  agentbox::Periodic ticks_;

  std::atomic<std::size_t> at_work_{0};
  mutable std::mutex mutex_;                         // protects at_work_of_
  std::map<store::UserId, std::size_t> at_work_of_;  // by owner; no zeros
  std::atomic<bool> stopping_{false};
  // Used on the home thread only.
  web::Timer all_ended_;
  store::Time began_{};  // recover()
  std::chrono::steady_clock::time_point rest_until_{};
  store::Time searched_{};  // nothing in the index is due before this
};

}  // namespace schedule
