// What is stored about swarms: the swarm, its tasks, and what happened.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace swarms {

BOOST_DEFINE_ENUM_CLASS(State, planning, working, joining, done, failed, stopped)

constexpr bool is_finished(State state) {
  return state == State::done || state == State::failed || state == State::stopped;
}

// agent: the orchestrator. box: every member gets the goal itself, because the orchestrator had no usable plan.
BOOST_DEFINE_ENUM_CLASS(Planner, agent, box)

struct Swarm {
  std::int64_t owner = 0;
  std::string id;  // sw_ and 20 random characters
  std::string name, goal;
  std::vector<std::string> agents;
  std::string orchestrator;  // one of them
  State state = State::planning;
  std::string reason;  // failed, stopped: why, in a sentence
  std::optional<Planner> planned_by;
  std::int64_t tasks = 0, events = 0;    // how many there are
  std::optional<std::int64_t> max_cost;  // usage::Money::units
  std::int64_t spent_before = 0;         // by its agents in the month of created_at, when it was created
  std::int64_t spent = 0;                // since then; as last measured
  std::string result;
  store::Time created_at, deadline;
  std::optional<store::Time> finished_at;
};
BOOST_DESCRIBE_STRUCT(Swarm, (),
                      (owner, id, name, goal, agents, orchestrator, state, reason, planned_by, tasks, events, max_cost,
                       spent_before, spent, result, created_at, deadline, finished_at))

// Swarm::reason.
inline constexpr std::string_view stopped_by_owner = "Its owner stopped it.";

inline const store::Owned<Swarm> swarms{{.family = "swarms", .number = 88},
                                        &Swarm::owner,
                                        &Swarm::id,
                                        {{.number = 1, .name = "unfinished", .key = [](const Swarm& swarm) {
                                            return is_finished(swarm.state) ? std::nullopt
                                                                            : store::index_value(swarm.created_at);
                                          }}}};

// Counters of a user: swarms that exist, and those that are not finished.
inline const store::CounterName stored_count{"swarms"}, unfinished_count{"swarms_unfinished"};
inline constexpr std::int64_t max_stored = 200, max_unfinished = 5;

BOOST_DEFINE_ENUM_CLASS(TaskState, waiting, running, done, failed, cancelled)

constexpr bool is_finished(TaskState state) { return state != TaskState::waiting && state != TaskState::running; }

inline constexpr std::int64_t max_tasks = 32, max_attempts = 2;

struct Task {
  std::int64_t owner = 0;
  std::string id;  // part_id(): one swarm's are adjacent, in their order
  std::string swarm;
  std::int64_t number = 1;
  std::string agent, prompt;
  std::vector<std::int64_t> after;  // numbers of earlier tasks, whose answers it gets
  TaskState state = TaskState::waiting;
  std::int64_t attempts = 0;  // a second one only if the end of the box cut off the first
  std::string answer, error, model;
  std::optional<store::Time> started_at, finished_at;
};
BOOST_DESCRIBE_STRUCT(Task, (),
                      (owner, id, swarm, number, agent, prompt, after, state, attempts, answer, error, model,
                       started_at, finished_at))

inline const store::Owned<Task> tasks{{.family = "swarm_tasks", .number = 89}, &Task::owner, &Task::id, {}};

BOOST_DEFINE_ENUM_CLASS(EventKind, created, planned, task_started, task_done, task_failed, joining, done, failed,
                        stopped)

struct Event {
  std::int64_t owner = 0;
  std::string id;  // part_id()
  std::string swarm;
  std::int64_t number = 1;
  store::Time at;
  EventKind kind = EventKind::created;
  boost::json::object data;
};
BOOST_DESCRIBE_STRUCT(Event, (), (owner, id, swarm, number, at, kind, data))

inline const store::Owned<Event> events{{.family = "swarm_events", .number = 90}, &Event::owner, &Event::id, {}};

// <swarm>.<number, 6 digits>
std::string part_id(std::string_view swarm, std::int64_t number);

}  // namespace swarms
