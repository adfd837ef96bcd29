// Stored scheduled prompts and their runs.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace schedule {

// Runs missed while the box was off: one is made up for all of them, or none.
BOOST_DEFINE_ENUM_CLASS(CatchUp, once, skip)
// A run that comes due while another of its task is running is skipped or queued.
BOOST_DEFINE_ENUM_CLASS(Overlap, skip, queue)

// prompt: scheduled by a user or an agent. heartbeat: not listed among the tasks and not counted towards their limit
// (hosting/heartbeat).
BOOST_DEFINE_ENUM_CLASS(Kind, prompt, heartbeat)

struct Task {
  std::int64_t owner = 0;
  std::string id;  // st_ and 20 random characters; for a heartbeat hb_ and the agent's id
  Kind kind = Kind::prompt;
  std::string agent;
  std::string name;
  std::optional<std::string> description;
  std::string cron_schedule, timezone;  // as Timetable reads them
  std::string prompt;
  bool enabled = true;
  CatchUp catch_up = CatchUp::once;
  Overlap overlap = Overlap::skip;
  std::optional<store::Time> next_run;  // empty while it is disabled
  std::optional<store::Time> last_run;
  std::int64_t runs = 0;                // number of the newest run
  std::optional<std::int64_t> running;  // number of the running run
  std::vector<store::Time> waiting;     // queued runs, oldest first; at most max_waiting
  store::Time created_at, updated_at;
  std::string made_by;                  // the agent that made it, or "user:7", a builder; empty: its owner did
  std::string model = {}, effort = {};  // of its runs; empty: the agent's own
  bool tells_owner = false;             // each run's answer, or why it failed, becomes a notice to the owner
};
BOOST_DESCRIBE_STRUCT(Task, (),
                      (owner, id, kind, agent, name, description, cron_schedule, timezone, prompt, enabled, catch_up,
                       overlap, next_run, last_run, runs, running, waiting, created_at, updated_at, made_by, model,
                       effort, tells_owner))

inline constexpr std::size_t max_waiting = 10;
// In Task::made_by, before the id of a user that the agent is shared with (hosting/sharing).
inline constexpr std::string_view person_prefix = "user:";

inline const store::Owned<Task> tasks{
    {.family = "scheduled_tasks", .number = 40},
    &Task::owner,
    &Task::id,
    {store::index<Task>(1, "due", &Task::next_run), store::scoped<Task>(2, "agent", &Task::agent)}};

// Counter of a user: tasks that exist.
inline const store::CounterName count{"scheduled_tasks"};
// Of its owner, for each agent: tasks that it has made.
inline store::CounterName count_made_by(const std::string& agent) { return {"scheduled_tasks/" + agent}; }

BOOST_DEFINE_ENUM_CLASS(Trigger, schedule, makeup, manual)
BOOST_DEFINE_ENUM_CLASS(Outcome, running, succeeded, failed, skipped)

struct Run {
  std::int64_t owner = 0;
  std::string id;  // run_id()
  std::string task, agent;
  std::int64_t number = 0;
  Trigger trigger = Trigger::schedule;
  Outcome outcome = Outcome::running;
  store::Time due_at, started_at;
  std::optional<store::Time> finished_at;
  std::string answer;           // first 4,000 bytes; the conversation has all of it
  std::string error;            // failed, skipped: why, in a sentence
  std::int64_t overlapped = 0;  // runs skipped while this one was running
};
BOOST_DESCRIBE_STRUCT(Run, (),
                      (owner, id, task, agent, number, trigger, outcome, due_at, started_at, finished_at, answer, error,
                       overlapped))

// Stored runs per task.
inline constexpr std::int64_t runs_kept = 50;

// <task id>.<number, 12 digits>: one task's runs are adjacent in key order, oldest first.
std::string run_id(const std::string& task, std::int64_t number);

inline const store::Owned<Run> runs{{.family = "task_runs", .number = 41},
                                    &Run::owner,
                                    &Run::id,
                                    {{.number = 1, .name = "unfinished", .key = [](const Run& run) {
                                        return run.outcome == Outcome::running ? store::index_value(run.started_at)
                                                                               : std::nullopt;
                                      }}}};

}  // namespace schedule
