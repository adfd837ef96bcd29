// Handlers of the rows about scheduled prompts, with the structs of their requests and answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/schedule/routes.h"
#include "web/routes/endpoint.h"

namespace schedule {

using AgentId = web::Text<1, 128>;
using TaskId = web::Text<1, 128>;
using Name = web::Text<1, 100>;
using Description = web::Prose<0, 1'000>;
using Expression = web::Prose<1, 200>;  // with tabs
using Zone = web::Text<1, 64>;
using Prompt = web::Prose<1, 32'000>;

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
};
BOOST_DESCRIBE_STRUCT(CreateRequest, (),
                      (name, cronSchedule, prompt, agentId, description, enabled, timezone, catchUp, overlap))

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
};
BOOST_DESCRIBE_STRUCT(UpdateRequest, (),
                      (taskId, name, description, cronSchedule, prompt, enabled, timezone, catchUp, overlap))

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
};
BOOST_DESCRIBE_STRUCT(TaskItem, (),
                      (id, name, description, cronSchedule, prompt, enabled, lastRun, nextRun, agentId, createdAt,
                       updatedAt, timezone, catchUp, overlap, running))

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
};
BOOST_DESCRIBE_STRUCT(AgentTaskRequest, (), (name, cronSchedule, prompt, timezone))

web::Answer list_tasks(const Services&, const web::Request&, ListQuery);
web::Answer create_task(const Services&, const web::Request&, CreateRequest);
web::Answer update_task(const Services&, const web::Request&, UpdateRequest);
web::Answer remove_task(const Services&, const web::Request&, TaskQuery);
web::Answer preview_runs(const Services&, const web::Request&, PreviewQuery);
web::Answer show_task(const Services&, const web::Request&);
web::Answer run_task(const Services&, const web::Request&);
web::Answer list_runs(const Services&, const web::Request&, HistoryQuery);

web::Answer list_agent_tasks(const Services&, const web::Request&);
web::Answer create_agent_task(const Services&, const web::Request&, AgentTaskRequest);
web::Answer remove_agent_task(const Services&, const web::Request&);

}  // namespace schedule
