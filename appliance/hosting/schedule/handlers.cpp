#include "appliance/hosting/schedule/handlers.h"

#include <functional>

#include "appliance/access/key_guards.h"
#include "appliance/hosting/schedule/descriptions.h"

namespace schedule {

namespace {

using web::Request;

constexpr std::size_t runs_previewed = 5;
constexpr auto text_of_agents_own = "Made by the agent itself.";

}  // namespace

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
          .running = task.running.has_value(),
          .madeByAgent = !task.made_by.empty() && !task.made_by.starts_with(person_prefix),
          .model = task.model.empty() ? std::nullopt : std::optional(std::move(task.model)),
          .reasoningEffort = task.effort.empty() ? std::nullopt : std::optional(std::move(task.effort)),
          .tellOwner = task.tells_owner};
}

namespace {

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

// RFC 3339 with the offset from UTC.
std::string local_text(store::Time now, std::chrono::seconds offset) {
  auto text = web::iso8601(now + offset).substr(0, 19);
  const auto minutes = std::abs(std::chrono::floor<std::chrono::minutes>(offset).count());
  const auto two_digits = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return text + (offset.count() < 0 ? "-" : "+") + two_digits(minutes / 60) + ":" + two_digits(minutes % 60);
}

std::string_view weekday_of(store::Time local) {
  constexpr std::string_view names[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  return names[std::chrono::weekday(std::chrono::floor<std::chrono::days>(local)).c_encoding()];
}

// `agent`: that makes it for its owner (/mcp); empty: the owner does.
NewTask new_task(CreateRequest request, const std::string& agent) {
  if (!agent.empty() && !request.description) request.description = std::string(text_of_agents_own);
  return {.name = std::move(request.name),
          .agent = std::move(request.agentId),
          .cron_schedule = std::move(request.cronSchedule),
          .prompt = std::move(request.prompt),
          .description = std::move(request.description),
          .timezone = request.timezone ? std::move(*request.timezone) : Zone(),
          .enabled = request.enabled.value_or(true),
          .catch_up = request.catchUp.value_or(CatchUp::once),
          .overlap = request.overlap.value_or(Overlap::skip),
          .made_by = agent,
          .tells_owner = request.tellOwner.value_or(false),
          .model = request.model ? std::string(std::move(*request.model)) : std::string(),
          .effort = request.reasoningEffort ? std::string(std::move(*request.reasoningEffort)) : std::string()};
}

Changes changes_of(UpdateRequest request) {
  return {.name = std::move(request.name),
          .description = std::move(request.description),
          .cron_schedule = std::move(request.cronSchedule),
          .prompt = std::move(request.prompt),
          .timezone = std::move(request.timezone),
          .enabled = request.enabled,
          .catch_up = request.catchUp,
          .overlap = request.overlap,
          .tells_owner = request.tellOwner,
          .model = std::move(request.model),
          .effort = std::move(request.reasoningEffort)};
}

web::Answer list_tasks(const Services& services, const Request& request, ListQuery query) {
  const std::string agent = query.agentId ? std::move(*query.agentId) : AgentId();
  co_return web::reply(list_of(services.schedule.tasks.list(request.caller.user_id, agent)), 200);
}

// Of a new or changed task.
template <class Body>
web::Result<void> check_model(const Body& body, const agents::ConfigRules& rules) {
  if (body.reasoningEffort)
    if (const auto good = agents::check_effort(*body.reasoningEffort, "reasoningEffort"); !good) return good.error();
  if (body.model)
    if (const auto good = agents::check_model(*body.model, "model", rules); !good) return good.error();
  return {};
}

web::Answer create_task(const Services& services, const Request& request, CreateRequest body) {
  if (const auto good = check_model(body, services.rules); !good) co_return good.error();
  auto created =
      co_await services.schedule.tasks.create(request.caller.user_id, new_task(std::move(body), request.caller.agent));
  if (!created) co_return created.error();
  co_return web::reply(item_of(std::move(*created)), 201);
}

web::Answer update_task(const Services& services, const Request& request, UpdateRequest body) {
  if (const auto good = check_model(body, services.rules); !good) co_return good.error();
  const std::string id = body.taskId;
  auto changed = co_await services.schedule.tasks.change(request.caller.user_id, id, changes_of(std::move(body)),
                                                         !request.caller.agent.empty());
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
  if (!request.caller.agent.empty()) {
    const auto task = services.schedule.tasks.find(request.caller.user_id, request.param("taskId"));
    const auto apart = services.schedule.tasks.limits_of_agents(request.caller.user_id).apart;
    if (task && task->last_run && store::now() - *task->last_run < apart)
      co_return web::conflict("An agent may run a task every " + std::to_string(apart.count()) +
                              " seconds: try again later.");
  }
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
               .description = text_of_agents_own,
               .timezone = body.timezone ? std::move(*body.timezone) : std::string(),
               .made_by = request.caller.agent,
               .tells_owner = body.tellOwner.value_or(false)};
  const auto taint = services.turns.of(task.agent);
  auto created = co_await services.schedule.tasks.create(request.caller.user_id, std::move(task));
  if (!created) co_return created.error();
  // Its prompt may be another's, and so are the turns that it begins.
  if (taint.is_foreign()) {
    const auto conversation =
        chat::conversation_id(request.caller.agent, chat::Channel::schedule, std::string_view(), created->id);
    services.turns.taint_conversation(request.caller.user_id, request.caller.agent, conversation,
                                      taint.sources.front());
  }
  co_return web::reply(item_of(std::move(*created)), 201);
}

web::Answer show_time(const Services& services, const Request&, TimeQuery query) {
  const std::string name =
      services.schedule.tasks.zone_or_default(query.timezone ? std::move(*query.timezone) : Zone());
  const auto* zone = services.schedule.zones.find(name);
  if (!zone)
    co_return web::invalid("timezone: this box knows no '" + name +
                           "': use a name of the IANA database, as Europe/London or UTC");
  const auto now = store::now();
  const auto offset = zone->at(std::chrono::floor<std::chrono::seconds>(now)).offset;
  const TimeAnswer answer{
      .utc = now, .local = local_text(now, offset), .weekday = std::string(weekday_of(now + offset)), .timezone = name};
  co_return web::reply(answer, 200);
}

web::Answer remove_agent_task(const Services& services, const Request& request) {
  const TaskRemoved answer{.taskId = request.param("taskId")};
  const auto removed =
      co_await services.schedule.tasks.remove_of_agent(request.caller.user_id, request.caller.agent, answer.taskId);
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

const web::RateLimit tasks_rate{.group = "scheduled-tasks", .limit = 100};

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  using agentbox::RowScope;
  using key_scopes::Scope;
  const auto& owner = agentbox::session_or_key(guards, Scope::schedules, RowScope::account);
  const auto& scheduler = agentbox::session_or_key(guards, Scope::schedules, RowScope::agent);
  return {
      {web::GET, "/api/scheduled-tasks", scheduler, &tasks_rate,
       web::query<ListQuery>(on(list_tasks)).returns<TaskList>(), "List the caller's scheduled prompts, newest first"},
      {web::POST, "/api/scheduled-tasks", scheduler, &tasks_rate,
       web::body<CreateRequest>(on(create_task)).returns<TaskItem>(201).describe(descriptions::create),
       "Schedule a prompt to an agent"},
      {web::PUT, "/api/scheduled-tasks", owner, &tasks_rate,
       web::body<UpdateRequest>(on(update_task)).returns<TaskItem>().describe(descriptions::update),
       "Change a scheduled prompt"},
      {web::DELETE, "/api/scheduled-tasks", owner, &tasks_rate,
       web::body_or_query<TaskQuery>(on(remove_task)).returns<TaskRemoved>().describe(descriptions::remove),
       "Delete a scheduled prompt"},
      {web::GET, "/api/scheduled-tasks/preview", owner, &tasks_rate,
       web::query<PreviewQuery>(on(preview_runs)).returns<PreviewAnswer>().describe(descriptions::preview),
       "Preview the next five runs of an expression"},
      {web::GET, "/api/scheduled-tasks/:taskId", owner, &tasks_rate, web::plain(on(show_task)).returns<TaskDetail>(),
       "Show a scheduled prompt with its next five runs"},
      {web::POST, "/api/scheduled-tasks/:taskId/run", owner, &tasks_rate,
       web::plain(on(run_task)).returns<RunItem>(202).describe(descriptions::run), "Run a scheduled prompt now"},
      {web::GET, "/api/scheduled-tasks/:taskId/runs", owner, &tasks_rate,
       web::query<HistoryQuery>(on(list_runs)).returns<RunList>().describe(descriptions::history),
       "List the runs of a scheduled prompt, newest first"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& token = guards.agent_token;
  return {
      {web::GET, "/api/agent-tasks", token, nullptr, web::plain(on(list_agent_tasks)).returns<TaskList>(),
       "List the prompts scheduled for the calling agent, newest first"},
      {web::POST, "/api/agent-tasks", token, nullptr,
       web::body<AgentTaskRequest>(on(create_agent_task))
           .returns<TaskItem>(201)
           .describe(descriptions::create_agent_task),
       "Schedule a prompt for the calling agent"},
      {web::DELETE, "/api/agent-tasks/:taskId", token, nullptr,
       web::plain(on(remove_agent_task)).returns<TaskRemoved>(), "Delete a prompt scheduled for the calling agent"},
      {web::GET, "/api/agent-time", token, nullptr, web::query<TimeQuery>(on(show_time)).returns<TimeAnswer>(),
       "The current time in a zone; without one, in the box's own"},
  };
}

}  // namespace schedule
