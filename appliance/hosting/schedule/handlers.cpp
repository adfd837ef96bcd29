#include "appliance/hosting/schedule/handlers.h"

namespace schedule {

namespace {

using web::Request;

constexpr std::size_t runs_previewed = 5;

TaskItem item_of(Task task) {
  return {.id = std::move(task.id),
          .name = std::move(task.name),
          .description = std::move(task.description),
          .cronSchedule = std::move(task.cron_schedule),
          .prompt = std::move(task.prompt),
          .enabled = task.enabled,
          .lastRun = task.last_run,
          .nextRun = task.next_run,
          .agentId = std::move(task.agent),
          .createdAt = task.created_at,
          .updatedAt = task.updated_at,
          .timezone = std::move(task.timezone),
          .catchUp = task.catch_up,
          .overlap = task.overlap,
          .running = task.running.has_value()};
}

TaskList list_of(std::vector<Task> tasks) {
  TaskList list;
  for (auto& task : tasks) list.tasks.push_back(item_of(std::move(task)));
  list.count = std::int64_t(list.tasks.size());
  return list;
}

RunItem item_of(Run run) {
  RunItem item{.id = std::move(run.id),
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
  if (run.finished_at) item.durationMs = (*run.finished_at - run.started_at).count();
  if (run.outcome == Outcome::succeeded) item.answer = std::move(run.answer);
  if (!run.error.empty()) item.error = std::move(run.error);
  return item;
}

NewTask new_task(CreateRequest request) {
  return {.name = std::move(request.name),
          .agent = std::move(request.agentId),
          .cron_schedule = std::move(request.cronSchedule),
          .prompt = std::move(request.prompt),
          .description = std::move(request.description),
          .timezone = request.timezone ? std::move(*request.timezone) : Zone(),
          .enabled = request.enabled.value_or(true),
          .catch_up = request.catchUp.value_or(CatchUp::once),
          .overlap = request.overlap.value_or(Overlap::skip)};
}

Changes changes_of(UpdateRequest request) {
  return {.name = std::move(request.name),
          .description = std::move(request.description),
          .cron_schedule = std::move(request.cronSchedule),
          .prompt = std::move(request.prompt),
          .timezone = std::move(request.timezone),
          .enabled = request.enabled,
          .catch_up = request.catchUp,
          .overlap = request.overlap};
}

}  // namespace

web::Answer list_tasks(const Services& services, const Request& request, ListQuery query) {
  const std::string agent = query.agentId ? std::move(*query.agentId) : AgentId();
  co_return web::reply(list_of(services.schedule.tasks.list(request.caller.user_id, agent)), 200);
}

web::Answer create_task(const Services& services, const Request& request, CreateRequest body) {
  auto created = co_await services.schedule.tasks.create(request.caller.user_id, new_task(std::move(body)));
  if (!created) co_return created.error();
  co_return web::reply(item_of(std::move(*created)), 201);
}

web::Answer update_task(const Services& services, const Request& request, UpdateRequest body) {
  const std::string id = body.taskId;
  auto changed = co_await services.schedule.tasks.change(request.caller.user_id, id, changes_of(std::move(body)));
  if (!changed) co_return changed.error();
  co_return web::reply(item_of(std::move(*changed)), 200);
}

web::Answer remove_task(const Services& services, const Request& request, TaskQuery query) {
  const TaskRemoved answer{.taskId = query.taskId};
  const auto removed = co_await services.schedule.tasks.remove(request.caller.user_id, answer.taskId);
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

web::Answer preview_runs(const Services& services, const Request&, PreviewQuery query) {
  const auto& service = services.schedule.tasks;
  const auto zone = service.zone_or_default(query.timezone ? std::move(*query.timezone) : Zone());
  auto next = service.preview(query.cronSchedule, zone, runs_previewed);
  if (!next) co_return next.error();
  const PreviewAnswer answer{.timezone = zone, .nextRuns = std::move(*next)};
  co_return web::reply(answer, 200);
}

web::Answer show_task(const Services& services, const Request& request) {
  const auto& service = services.schedule.tasks;
  auto task = service.find(request.caller.user_id, request.param("taskId"));
  if (!task) co_return web::not_found("No such task");
  TaskDetail answer;
  if (task->enabled)
    if (auto next = service.preview(task->cron_schedule, task->timezone, runs_previewed)) answer.nextRuns = *next;
  static_cast<TaskItem&>(answer) = item_of(std::move(*task));
  co_return web::reply(answer, 200);
}

web::Answer run_task(const Services& services, const Request& request) {
  auto started = co_await services.schedule.scheduler.run_now(request.caller.user_id, request.param("taskId"));
  if (!started) co_return started.error();
  co_return web::reply(item_of(std::move(*started)), 202);
}

web::Answer list_runs(const Services& services, const Request& request, HistoryQuery query) {
  const auto limit = query.limit ? query.limit->value : runs_kept;
  auto found = services.schedule.tasks.history(request.caller.user_id, request.param("taskId"), std::size_t(limit));
  if (!found) co_return found.error();
  RunList answer;
  for (auto& run : *found) answer.runs.push_back(item_of(std::move(run)));
  answer.count = std::int64_t(answer.runs.size());
  co_return web::reply(answer, 200);
}

web::Answer list_agent_tasks(const Services& services, const Request& request) {
  co_return web::reply(list_of(services.schedule.tasks.list(request.caller.user_id, request.caller.agent)), 200);
}

web::Answer create_agent_task(const Services& services, const Request& request, AgentTaskRequest body) {
  NewTask task{.name = std::move(body.name),
               .agent = request.caller.agent,
               .cron_schedule = std::move(body.cronSchedule),
               .prompt = std::move(body.prompt),
               .description = "Made by the agent itself.",
               .timezone = body.timezone ? std::move(*body.timezone) : std::string()};
  auto created = co_await services.schedule.tasks.create(request.caller.user_id, std::move(task));
  if (!created) co_return created.error();
  co_return web::reply(item_of(std::move(*created)), 201);
}

web::Answer remove_agent_task(const Services& services, const Request& request) {
  const TaskRemoved answer{.taskId = request.param("taskId")};
  const auto removed =
      co_await services.schedule.tasks.remove_of_agent(request.caller.user_id, request.caller.agent, answer.taskId);
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

}  // namespace schedule
