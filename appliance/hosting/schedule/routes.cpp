#include "appliance/hosting/schedule/schedule.h"
#include "appliance/hosting/schedule/views.h"
#include "web/endpoint.h"

namespace schedule {

namespace {

using web::Request;
using web::Response;
using web::Result;

const web::RateLimit tasks_rate{.group = "scheduled-tasks", .limit = 100};

constexpr std::size_t runs_previewed = 5;

using Name = web::Text<1, 100>;
using Description = web::Prose<0, 1'000>;
using Expression = web::Text<1, 200>;
using Zone = web::Text<1, 64>;
using Prompt = web::Prose<1, 32'000>;

struct Create {
  Name name;
  Expression cronSchedule;
  Prompt prompt;
  web::Text<1, 128> agentId;
  std::optional<Description> description;
  std::optional<bool> enabled;
  std::optional<Zone> timezone;
  std::optional<CatchUp> catchUp;
  std::optional<Overlap> overlap;
};
BOOST_DESCRIBE_STRUCT(Create, (),
                      (name, cronSchedule, prompt, agentId, description, enabled, timezone, catchUp, overlap))

struct Update {
  web::Text<1, 128> taskId;
  std::optional<Name> name;
  std::optional<Description> description;
  std::optional<Expression> cronSchedule;
  std::optional<Prompt> prompt;
  std::optional<bool> enabled;
  std::optional<Zone> timezone;
  std::optional<CatchUp> catchUp;
  std::optional<Overlap> overlap;
};
BOOST_DESCRIBE_STRUCT(Update, (),
                      (taskId, name, description, cronSchedule, prompt, enabled, timezone, catchUp, overlap))

struct Which {
  web::Text<1, 128> taskId;
};
BOOST_DESCRIBE_STRUCT(Which, (), (taskId))

struct Of {
  std::optional<web::Text<1, 128>> agentId;
};
BOOST_DESCRIBE_STRUCT(Of, (), (agentId))

struct Look {
  Expression cronSchedule;
  std::optional<Zone> timezone;
};
BOOST_DESCRIBE_STRUCT(Look, (), (cronSchedule, timezone))

struct Back {
  std::optional<web::Integer<1, runs_kept>> limit;
};
BOOST_DESCRIBE_STRUCT(Back, (), (limit))

struct TaskDetail : TaskView {
  std::vector<store::Time> nextRuns;
};
BOOST_DESCRIBE_STRUCT(TaskDetail, (TaskView), (nextRuns))

struct RunView {
  std::string id, taskId, agentId;
  Trigger trigger;
  Outcome outcome;
  store::Time dueAt, startedAt;
  std::optional<store::Time> finishedAt;
  std::optional<std::int64_t> durationMs;
  std::optional<std::string> answer, error;
  std::int64_t overlapped;
};
BOOST_DESCRIBE_STRUCT(RunView, (),
                      (id, taskId, agentId, trigger, outcome, dueAt, startedAt, finishedAt, durationMs, answer, error,
                       overlapped))

struct RunList {
  std::vector<RunView> runs;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(RunList, (), (runs, count))

struct Preview {
  std::string timezone;
  std::vector<store::Time> nextRuns;
};
BOOST_DESCRIBE_STRUCT(Preview, (), (timezone, nextRuns))

RunView view(Run run) {
  RunView shown{.id = std::move(run.id),
                .taskId = std::move(run.task),
                .agentId = std::move(run.agent),
                .trigger = run.trigger,
                .outcome = run.outcome,
                .dueAt = run.due_at,
                .startedAt = run.started_at,
                .finishedAt = run.finished_at,
                .durationMs = {},
                .answer = {},
                .error = {},
                .overlapped = run.overlapped};
  if (run.finished_at) shown.durationMs = (*run.finished_at - run.started_at).count();
  if (run.outcome == Outcome::succeeded) shown.answer = std::move(run.answer);
  if (!run.error.empty()) shown.error = std::move(run.error);
  return shown;
}

NewTask new_task(Create wanted) {
  return {.name = std::move(wanted.name),
          .agent = std::move(wanted.agentId),
          .cron_schedule = std::move(wanted.cronSchedule),
          .prompt = std::move(wanted.prompt),
          .description = std::move(wanted.description),
          .timezone = wanted.timezone ? std::move(*wanted.timezone) : Zone(),
          .enabled = wanted.enabled.value_or(true),
          .catch_up = wanted.catchUp.value_or(CatchUp::once),
          .overlap = wanted.overlap.value_or(Overlap::skip)};
}

Changes changes(Update wanted) {
  return {.name = std::move(wanted.name),
          .description = std::move(wanted.description),
          .cron_schedule = std::move(wanted.cronSchedule),
          .prompt = std::move(wanted.prompt),
          .timezone = std::move(wanted.timezone),
          .enabled = wanted.enabled,
          .catch_up = wanted.catchUp,
          .overlap = wanted.overlap};
}

}  // namespace

std::vector<web::Route> web_routes(Schedule& schedule, const agentbox::Guards& guards) {
  using Answer = web::Task<Result<Response>>;
  auto& service = schedule.tasks;
  auto& scheduler = schedule.scheduler;

  auto list = [&service](Request& request, Of of) -> Answer {
    const std::string agent = of.agentId ? std::move(*of.agentId) : web::Text<1, 128>();
    co_return web::reply(views(service.list(request.caller.user_id, agent)), 200);
  };
  auto create = [&service](Request& request, Create wanted) -> Answer {
    auto created = co_await service.create(request.caller.user_id, new_task(std::move(wanted)));
    if (!created) co_return created.error();
    co_return web::reply(view(std::move(*created)), 201);
  };
  auto update = [&service](Request& request, Update wanted) -> Answer {
    const std::string id = wanted.taskId;
    auto changed = co_await service.change(request.caller.user_id, id, changes(std::move(wanted)));
    if (!changed) co_return changed.error();
    co_return web::reply(view(std::move(*changed)), 200);
  };
  auto remove = [&service](Request& request) -> Answer {
    const auto which = request.body.empty() ? web::parse_query<Which>(request) : web::parse_body<Which>(request);
    if (!which) co_return which.error();
    const Removed answer{.taskId = which->taskId};
    const auto removed = co_await service.remove(request.caller.user_id, answer.taskId);
    if (!removed) co_return removed.error();
    co_return web::reply(answer, 200);
  };
  auto get = [&service](Request& request) -> Answer {
    auto task = service.find(request.caller.user_id, request.param("taskId"));
    if (!task) co_return web::not_found("No such task");
    TaskDetail answer;
    if (task->enabled)
      if (auto next = service.preview(task->cron_schedule, task->timezone, runs_previewed)) answer.nextRuns = *next;
    static_cast<TaskView&>(answer) = view(std::move(*task));
    co_return web::reply(answer, 200);
  };
  auto preview = [&service](Request&, Look look) -> Answer {
    const auto zone = service.zone_or_own(look.timezone ? std::move(*look.timezone) : Zone());
    auto next = service.preview(look.cronSchedule, zone, runs_previewed);
    if (!next) co_return next.error();
    const Preview answer{.timezone = zone, .nextRuns = std::move(*next)};
    co_return web::reply(answer, 200);
  };
  auto run = [&scheduler](Request& request) -> Answer {
    auto begun = co_await scheduler.run_now(request.caller.user_id, request.param("taskId"));
    if (!begun) co_return begun.error();
    co_return web::reply(view(std::move(*begun)), 202);
  };
  auto history = [&service](Request& request, Back back) -> Answer {
    const auto limit = back.limit ? back.limit->value : runs_kept;
    auto found = service.history(request.caller.user_id, request.param("taskId"), std::size_t(limit));
    if (!found) co_return found.error();
    RunList answer;
    for (auto& kept : *found) answer.runs.push_back(view(std::move(kept)));
    answer.count = std::int64_t(answer.runs.size());
    co_return web::reply(answer, 200);
  };
  auto removal = web::plain(remove).returns<Removed>().describe(
      "With its history. taskId comes in the body or, without a body, in the query.");
  removal.body = web::schema_of<Which>;

  return {
      {web::GET, "/api/scheduled-tasks", guards.session, &tasks_rate, web::query<Of>(list).returns<TaskList>(),
       "One's scheduled prompts, newest first"},
      {web::POST, "/api/scheduled-tasks", guards.session, &tasks_rate,
       web::body<Create>(create).returns<TaskView>(201).describe(
           "cronSchedule is `minute hour day-of-month month day-of-week`, with the second before it when there are six "
           "fields, or @hourly, @daily, @weekly, @monthly, @yearly, or @every with minutes, hours or days (@every "
           "90m); names, ranges, steps, lists, L (last day), 5L "
           "(last "
           "Friday) and 5#2 (second Friday). Both days restricted: either. timezone is an IANA name (the box's own). A "
           "time that does not exist runs at the end of the gap, one that the clock shows twice the first time, unless "
           "the hours are * or a step. catchUp: what was missed while the box was off is made up once (`once`) or left "
           "out (`skip`). overlap: what comes due while the task is at work is left out (`skip`) or waits, ten runs at "
           "most (`queue`). 429 with current and limit when the plan's number of tasks is reached."),
       "Schedule a prompt to an agent"},
      {web::PUT, "/api/scheduled-tasks", guards.session, &tasks_rate,
       web::body<Update>(update).returns<TaskView>().describe("Only given fields change; an empty description removes "
                                                              "it. Times are counted from now when the expression or "
                                                              "the zone changes, and when the task is enabled."),
       "Change a scheduled prompt"},
      {web::DELETE, "/api/scheduled-tasks", guards.session, &tasks_rate, std::move(removal),
       "Delete a scheduled prompt"},
      {web::GET, "/api/scheduled-tasks/preview", guards.session, &tasks_rate,
       web::query<Look>(preview).returns<Preview>().describe("400 with the reason for a wrong expression or zone."),
       "The next five runs of an expression, before it is scheduled"},
      {web::GET, "/api/scheduled-tasks/:taskId", guards.session, &tasks_rate, web::plain(get).returns<TaskDetail>(),
       "One scheduled prompt, with its next five runs"},
      {web::POST, "/api/scheduled-tasks/:taskId/run", guards.session, &tasks_rate,
       web::plain(run).returns<RunView>(202).describe(
           "Answers when the run has begun; its end is in the history. Also for a disabled task. 409 while it is at "
           "work."),
       "Run a scheduled prompt now"},
      {web::GET, "/api/scheduled-tasks/:taskId/runs", guards.session, &tasks_rate,
       web::query<Back>(history).returns<RunList>().describe(
           "The newest 50 are kept. outcome is running, succeeded, failed or skipped (missed while the box was off), "
           "trigger schedule, makeup or manual. answer holds the first 4,000 bytes; the conversation with the agent "
           "holds "
           "all. overlapped counts the runs left out because this one was at work."),
       "The runs of a scheduled prompt, newest first"},
  };
}

}  // namespace schedule
