#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/config_check.h"
#include "appliance/hosting/gate/turns.h"
#include "appliance/hosting/schedule/schedule.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace schedule {

// All of them must outlive the rows.
struct Services {
  Schedule& schedule;
  const agents::ConfigRules& rules;
  gate::TurnTracker& turns;
};

using AgentId = web::Text<1, 128>;
using TaskId = web::Text<1, 128>;
using Name = web::Text<1, 100>;
using Description = web::Prose<0, 1'000>;
using Expression = web::Prose<1, 200>;  // with tabs
using Zone = web::Text<1, 64>;
using Prompt = web::Prose<1, 32'000>;
using Model = web::Text<0, 200>;
using Effort = web::Text<0, 20>;

struct CreateRequest {
  Name name;
  Expression cronSchedule;
  Prompt prompt;
  AgentId agentId;
  std::optional<Description> description;
  std::optional<bool> enabled;
  std::optional<Zone> timezone;
  std::optional<CatchUp> catchUp;
  std::optional<Overlap> overlap;
  std::optional<bool> tellOwner;
  std::optional<Model> model;
  std::optional<Effort> reasoningEffort;
};
BOOST_DESCRIBE_STRUCT(CreateRequest, (),
                      (name, cronSchedule, prompt, agentId, description, enabled, timezone, catchUp, overlap, tellOwner,
                       model, reasoningEffort))

struct UpdateRequest {
  TaskId taskId;
  std::optional<Name> name;
  std::optional<Description> description;
  std::optional<Expression> cronSchedule;
  std::optional<Prompt> prompt;
  std::optional<bool> enabled;
  std::optional<Zone> timezone;
  std::optional<CatchUp> catchUp;
  std::optional<Overlap> overlap;
  std::optional<bool> tellOwner;
  std::optional<Model> model;
  std::optional<Effort> reasoningEffort;
};
BOOST_DESCRIBE_STRUCT(UpdateRequest, (),
                      (taskId, name, description, cronSchedule, prompt, enabled, timezone, catchUp, overlap, tellOwner,
                       model, reasoningEffort))

struct TaskQuery {
  TaskId taskId;
};
BOOST_DESCRIBE_STRUCT(TaskQuery, (), (taskId))

struct ListQuery {
  std::optional<AgentId> agentId;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (agentId))

struct PreviewQuery {
  Expression cronSchedule;
  std::optional<Zone> timezone;
};
BOOST_DESCRIBE_STRUCT(PreviewQuery, (), (cronSchedule, timezone))

struct HistoryQuery {
  std::optional<web::Integer<1, runs_kept>> limit;
};
BOOST_DESCRIBE_STRUCT(HistoryQuery, (), (limit))

struct TaskItem {
  std::string id, name;
  std::optional<std::string> description;
  std::string cronSchedule, prompt;
  bool enabled;
  std::optional<store::Time> lastRun, nextRun;
  std::string agentId;
  store::Time createdAt, updatedAt;
  std::string timezone;
  CatchUp catchUp;
  Overlap overlap;
  bool running;
  bool madeByAgent;                                   // else by the owner
  std::optional<std::string> model, reasoningEffort;  // of its runs, if they are not the agent's own
  bool tellOwner;                                     // each run's answer becomes a notice to the owner
};
BOOST_DESCRIBE_STRUCT(TaskItem, (),
                      (id, name, description, cronSchedule, prompt, enabled, lastRun, nextRun, agentId, createdAt,
                       updatedAt, timezone, catchUp, overlap, running, madeByAgent, model, reasoningEffort, tellOwner))

TaskItem item_of(Task);

struct TaskList {
  std::vector<TaskItem> tasks;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(TaskList, (), (tasks, count))

struct TaskDetail : TaskItem {
  std::vector<store::Time> nextRuns;
};
BOOST_DESCRIBE_STRUCT(TaskDetail, (TaskItem), (nextRuns))

struct TaskRemoved {
  bool success = true;
  std::string taskId;
};
BOOST_DESCRIBE_STRUCT(TaskRemoved, (), (success, taskId))

struct PreviewAnswer {
  std::string timezone;
  std::vector<store::Time> nextRuns;
};
BOOST_DESCRIBE_STRUCT(PreviewAnswer, (), (timezone, nextRuns))

struct RunItem {
  std::string id, taskId, agentId;
  Trigger trigger;
  Outcome outcome;
  store::Time dueAt, startedAt;
  std::optional<store::Time> finishedAt;
  std::optional<std::int64_t> durationMs;
  std::optional<std::string> answer, error;
  std::int64_t overlapped;
};
BOOST_DESCRIBE_STRUCT(RunItem, (),
                      (id, taskId, agentId, trigger, outcome, dueAt, startedAt, finishedAt, durationMs, answer, error,
                       overlapped))

struct RunList {
  std::vector<RunItem> runs;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(RunList, (), (runs, count))

// A task that an agent schedules for itself.
struct AgentTaskRequest {
  Name name;
  Expression cronSchedule;
  Prompt prompt;
  std::optional<Zone> timezone;
  std::optional<bool> tellOwner;
};
BOOST_DESCRIBE_STRUCT(AgentTaskRequest, (), (name, cronSchedule, prompt, timezone, tellOwner))

struct TimeQuery {
  std::optional<Zone> timezone;
};
BOOST_DESCRIBE_STRUCT(TimeQuery, (), (timezone))

struct TimeAnswer {
  store::Time utc;
  std::string local;  // with the offset: 2026-12-01T09:00:00+01:00
  std::string weekday;
  std::string timezone;
};
BOOST_DESCRIBE_STRUCT(TimeAnswer, (), (utc, local, weekday, timezone))

// /api/scheduled-tasks.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-tasks, where an agent schedules its own prompts, and /api/agent-time.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace schedule
