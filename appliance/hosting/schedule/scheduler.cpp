#include "appliance/hosting/schedule/scheduler.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/describe/enum_to_string.hpp>
#include <set>

#include "appliance/hosting/schedule/timetable.h"
#include "store/transact.h"
#include "web/log.h"
#include "web/metrics.h"
#include "web/utf8.h"

namespace schedule {

namespace {

using namespace std::chrono_literals;

constexpr auto pause_between_ticks = 200ms;
constexpr auto pause_after_failure = 30s;
constexpr std::size_t longest_answer_kept = 4'000;
// Tasks are stored some time after their next run was computed; a tick searches back this far to find them.
constexpr auto slowest_write = std::chrono::minutes(10);

// By how much the clocks may disagree before the wall clock counts as set back.
constexpr auto clock_tolerance = std::chrono::minutes(1);

constexpr auto cut_off = "The box was interrupted before the agent answered.";
constexpr auto missed = "The box was not able to run it when it was due.";

void count_end(const Run& run) {
  web::metrics()
      .counter("agentbox_scheduled_runs_total", "Runs of scheduled prompts, by how they ended.",
               {{"outcome", boost::describe::enum_to_string(run.outcome, "")}})
      .add();
}

void observe_delay(const Run& run) {
  web::metrics()
      .histogram("agentbox_scheduled_run_delay_seconds", "From the moment a prompt is due to the start of its run.")
      .observe(std::chrono::duration<double>(run.started_at - run.due_at).count());
}

// Measures a tick to its end.
class TickTime {
 public:
  ~TickTime() {
    web::metrics()
        .histogram("agentbox_schedule_tick_duration_seconds", "One look at what is due, with the begin of its runs.")
        .observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
  }

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

Run new_run(Task& task, Trigger trigger, store::Time due, store::Time now) {
  ++task.runs;
  return {.owner = task.owner,
          .id = run_id(task.id, task.runs),
          .task = task.id,
          .agent = task.agent,
          .number = task.runs,
          .trigger = trigger,
          .outcome = Outcome::running,
          .due_at = due,
          .started_at = now,
          .finished_at = {},
          .answer = {},
          .error = {},
          .overlapped = 0};
}

void end(Run& run, const web::Result<std::string>& answer, store::Time now) {
  run.finished_at = now;
  run.outcome = answer ? Outcome::succeeded : Outcome::failed;
  if (answer)
    run.answer = web::utf8_prefix(*answer, longest_answer_kept);
  else
    run.error = answer.error().message;
}

}  // namespace

Scheduler::Scheduler(store::System system, const TimeZones& zones, Sender send, Teller tell, Clock clock,
                     boost::asio::io_context& home, SchedulerOptions options)
    : system_(std::move(system)),
      zones_(zones),
      send_(std::move(send)),
      tell_(std::move(tell)),
      clock_(std::move(clock)),
      home_(home),
      options_(options),
      ticks_(home, "schedule", pause_between_ticks, [this] { return tick_unless_paused(); }),
      all_ended_(home.get_executor(), web::Timer::time_point::max()) {}

Scheduler::~Scheduler() = default;

web::Task<> Scheduler::start() {
  co_await recover();
  if (!stopping_) ticks_.start();
}

web::Task<> Scheduler::stop(std::chrono::steady_clock::duration grace) {
  stopping_ = true;
  co_await ticks_.stop();
  if (running_ == 0) co_return;
  all_ended_.expires_after(grace);
  boost::system::error_code woken;
  co_await all_ended_.async_wait(boost::asio::redirect_error(web::use_task, woken));
}

web::Task<> Scheduler::recover() {
  for (;;) {
    const auto interrupted = system_.find_range(runs, "unfinished", store::Time(), store::Time::max());
    if (interrupted.empty()) break;
    for (const auto& run : interrupted) co_await fail_interrupted(run);
  }
  began_ = clock_();
  co_await recompute(began_, true);
}

bool Scheduler::was_clock_set_back(store::Time now) {
  const auto steady = std::chrono::steady_clock::now();
  const auto passed = steady - last_tick_steady_;
  const bool was_set_back = last_tick_ && now + clock_tolerance < *last_tick_ + passed;
  last_tick_ = now;
  last_tick_steady_ = steady;
  return was_set_back;
}

web::Task<> Scheduler::recompute(store::Time now, bool only_from_ahead) {
  std::vector<std::pair<store::UserId, std::string>> affected;
  system_.each<Task>(tasks, [&](const Task& task) {
    const auto written = std::max(task.last_run.value_or(task.updated_at), task.updated_at);
    if (task.next_run && *task.next_run > now && (!only_from_ahead || written > now + clock_tolerance))
      affected.emplace_back(task.owner, task.id);
    return true;
  });
  if (affected.empty()) co_return;
  web::log::warning("clock_set_back", {{"tasks", static_cast<std::int64_t>(affected.size())}});
  for (auto& [owner, id] : affected) co_await recompute(owner, std::move(id), now);
}

web::Task<> Scheduler::recompute(store::UserId owner, std::string id, store::Time now) {
  const auto step = [&](store::Change& change) -> bool {
    auto row = system_.get(tasks, owner, id);
    if (!row || !row->value.next_run) return false;
    auto& task = row->value;
    const auto timetable = Timetable::read(zones_, task.cron_schedule, task.timezone);
    const auto next = timetable ? timetable->next(now) : std::nullopt;
    if (!next || *next >= *task.next_run) return false;
    task.next_run = *next;
    change.update(tasks, *row);
    return true;
  };
  co_await store::transact(system_, step);
}

web::Task<> Scheduler::fail_interrupted(Run interrupted) {
  for (;;) {
    auto task = system_.get(tasks, interrupted.owner, interrupted.task);
    auto run = system_.get(runs, interrupted.owner, interrupted.id);
    if (!task || !run) throw std::logic_error("a run has outlived its task: " + interrupted.id);
    end(run->value, web::internal(cut_off), clock_());
    auto& left = task->value;
    left.running.reset();
    left.waiting.clear();
    if (left.enabled && left.catch_up == CatchUp::once && run->value.trigger != Trigger::makeup)
      left.next_run = std::min(left.next_run.value_or(interrupted.due_at), interrupted.due_at);
    auto change = system_.change();
    change.update(runs, *run);
    change.update(tasks, *task);
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;
    count_end(run->value);
    co_return;
  }
}

// With a read-only store every tick fails; pausing avoids five log lines a second.
web::Task<> Scheduler::tick_unless_paused() {
  const auto now = std::chrono::steady_clock::now();
  if (now < paused_until_) co_return;
  paused_until_ = now + pause_after_failure;
  co_await tick();
  paused_until_ = {};
}

web::Task<> Scheduler::tick() {
  const TickTime time;
  const auto now = clock_();
  if (was_clock_set_back(now)) {
    began_ = std::min(began_, now);  // what is due from now on is not missed
    co_await recompute(now, false);
  }
  searched_ = std::min(searched_, now);  // the clock may have been set back
  std::set<std::string> held_back;       // due, but their owners have reached max_per_owner
  while (running_ < options_.max_running && !stopping_) {
    const auto room = std::min(options_.batch, options_.max_running - running_);
    auto due = system_.find_range(tasks, "due", searched_, now + 1ms, room + held_back.size());
    std::erase_if(due, [&](const Task& task) { return held_back.contains(task.id); });
    if (due.empty()) {
      if (held_back.empty()) searched_ = std::max(searched_, now - slowest_write);
      co_return;
    }
    auto change = system_.change();
    std::vector<StartedRun> started;
    std::map<store::UserId, std::size_t> started_of;
    bool is_empty = true;
    for (const auto& found : due) {
      if (running_of(found.owner) + started_of[found.owner] >= options_.max_per_owner) {
        held_back.insert(found.id);
        continue;
      }
      auto row = system_.get(tasks, found.owner, found.id);
      if (!row || row->value.next_run != found.next_run) continue;  // changed meanwhile
      if (auto run = take(change, row->value, now)) {
        ++started_of[found.owner];
        started.push_back(std::move(*run));
      }
      change.update(tasks, *row);
      is_empty = false;
    }
    if (is_empty) continue;  // the next search goes past those held back
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;  // one of them was changed concurrently: search again
    for (auto& run : started) launch(std::move(run));
  }
}

// Starts, queues or skips a due task's run, and sets its next run.
std::optional<Scheduler::StartedRun> Scheduler::take(store::Change& change, Task& task, store::Time now) {
  const auto due = *task.next_run;
  const auto timetable = Timetable::read(zones_, task.cron_schedule, task.timezone);
  if (!timetable) {  // the tzdata has changed since the task was stored
    task.enabled = false;
    task.next_run.reset();
    skip(change, task, due, now, "The task has been disabled: " + timetable.error().message);
    return std::nullopt;
  }
  task.next_run = timetable->next(now);
  const bool is_missed = due <= began_ || now - due > options_.tolerance;
  if (is_missed && task.catch_up == CatchUp::skip) {
    skip(change, task, due, now, missed);
    return std::nullopt;
  }
  if (!task.running) return begin(change, task, is_missed ? Trigger::makeup : Trigger::schedule, due, now);
  if (task.overlap == Overlap::queue && task.waiting.size() < max_waiting)
    task.waiting.push_back(due);
  else
    note_overlap(change, task);
  return std::nullopt;
}

Scheduler::StartedRun Scheduler::begin(store::Change& change, Task& task, Trigger trigger, store::Time due,
                                       store::Time now) const {
  auto run = new_run(task, trigger, due, now);
  task.running = run.number;
  task.last_run = now;
  insert(change, run);
  return {std::move(run), task.prompt};
}

void Scheduler::skip(store::Change& change, Task& task, store::Time due, store::Time now, std::string why) const {
  auto run = new_run(task, Trigger::schedule, due, now);
  run.outcome = Outcome::skipped;
  run.finished_at = now;
  run.error = std::move(why);
  insert(change, run);
  count_end(run);
}

// Deletes the oldest run beyond runs_kept.
void Scheduler::insert(store::Change& change, const Run& run) const {
  change.insert(runs, run);
  const auto oldest = system_.get(runs, run.owner, run_id(run.task, run.number - runs_kept));
  if (oldest) change.erase(runs, *oldest);
}

void Scheduler::note_overlap(store::Change& change, const Task& task) const {
  auto run = system_.get(runs, task.owner, run_id(task.id, *task.running));
  if (!run) return;
  ++run->value.overlapped;
  change.update(runs, *run);
}

web::Task<web::Result<Run>> Scheduler::run_now(store::UserId user, std::string id) {
  for (;;) {
    auto row = system_.get(tasks, user, id);
    if (!row) co_return web::not_found("No such task");
    if (row->value.running) co_return web::conflict("This task is at work: run it again when it has ended.");
    if (stopping_ || running_ >= options_.max_running)
      co_return web::unavailable("The box has no room for another run: try again in a moment.");
    const auto now = clock_();
    auto change = system_.change();
    auto started = begin(change, row->value, Trigger::manual, now, now);
    change.update(tasks, *row);
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;
    auto run = started.run;
    launch(std::move(started));
    co_return run;
  }
}

std::size_t Scheduler::running_of(store::UserId owner) const {
  const std::scoped_lock lock(mutex_);
  const auto found = running_of_.find(owner);
  return found == running_of_.end() ? 0 : found->second;
}

void Scheduler::launch(StartedRun started) {
  ++running_;
  const auto owner = started.run.owner;
  {
    const std::scoped_lock lock(mutex_);
    ++running_of_[owner];
  }
  if (started.run.trigger == Trigger::schedule) observe_delay(started.run);
  boost::asio::co_spawn(home_, perform(std::move(started)), [this, owner](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const std::exception& error) {  // a store that is read-only; recover() finds the run
      web::log::error("scheduled_run_end_not_written", {{"reason", std::string(error.what())}});
    }
    {
      const std::scoped_lock lock(mutex_);
      if (const auto own = running_of_.find(owner); --own->second == 0) running_of_.erase(own);
    }
    if (--running_ == 0) all_ended_.cancel();
  });
}

// Performs the run and the ones queued behind it.
web::Task<> Scheduler::perform(StartedRun first) {
  std::optional<StartedRun> next = std::move(first);
  while (next) {
    auto answer = co_await ask(next->run, next->prompt);
    if (!answer && stopping_) co_return;  // cut off: recover() marks it as failed and repeats it
    next = co_await finish(next->run, std::move(answer));
  }
}

web::Task<web::Result<std::string>> Scheduler::ask(Run run, std::string prompt) {
  std::string failure;
  try {
    auto copy = run;
    auto sending = send_(std::move(copy), std::move(prompt));
    co_return co_await std::move(sending);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  web::log::error("scheduled_prompt_not_sent", {{"task", run.task}, {"reason", failure}});
  co_return web::internal("The box could not send the prompt.");
}

// Stores the result of the run and starts the next queued one.
web::Task<std::optional<Scheduler::StartedRun>> Scheduler::finish(Run ended, web::Result<std::string> answer) {
  for (;;) {
    auto run = system_.get(runs, ended.owner, ended.id);
    auto task = system_.get(tasks, ended.owner, ended.task);
    if (!run || !task) co_return std::nullopt;  // removed meanwhile
    const auto now = clock_();
    end(run->value, answer, now);
    auto& left = task->value;
    left.running.reset();
    std::optional<StartedRun> next;
    auto change = system_.change();
    change.update(runs, *run);
    if (!left.waiting.empty()) {
      const auto due = left.waiting.front();
      if (stopping_) {  // missed, for the next start of the box
        left.next_run = due;
        left.waiting.clear();
      } else {
        left.waiting.erase(left.waiting.begin());
        next = begin(change, left, Trigger::schedule, due, now);
      }
    }
    change.update(tasks, *task);
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;
    count_end(run->value);
    if (left.tells_owner) {
      auto telling = tell_(left, std::move(answer));
      co_await std::move(telling);
    }
    co_return next;
  }
}

}  // namespace schedule
