// Scheduled prompts of builders: they run for the builder, in a conversation of the builder.
#include "appliance/hosting/rate_groups.h"
#include "appliance/hosting/schedule/handlers.h"
#include "appliance/hosting/sharing/handlers.h"

namespace sharing {

namespace {

using web::Request;

struct NewSchedule {
  schedule::Name name;
  schedule::Expression cronSchedule;
  schedule::Prompt prompt;
  std::optional<schedule::Zone> timezone;
  std::optional<bool> enabled;
};
BOOST_DESCRIBE_STRUCT(NewSchedule, (), (name, cronSchedule, prompt, timezone, enabled))

struct ScheduleChange {
  std::optional<schedule::Name> name;
  std::optional<schedule::Expression> cronSchedule;
  std::optional<schedule::Prompt> prompt;
  std::optional<schedule::Zone> timezone;
  std::optional<bool> enabled;
};
BOOST_DESCRIBE_STRUCT(ScheduleChange, (), (name, cronSchedule, prompt, timezone, enabled))

// The task if this builder has made it for this agent; not_found for all others.
web::Result<schedule::Task> own_task(const Services& services, const Access& access, const Request& request) {
  auto task = services.tasks.find(access.owner, request.param("task"));
  if (!task || task->agent != access.agent || task->made_by != peer_name(request.caller.user_id))
    return web::not_found("No such task");
  return std::move(*task);
}

web::Answer list_schedules(const Services& services, const Request& request) {
  const auto access = services.sharing.require(request.caller.user_id, request.param("id"), Role::builder);
  if (!access) co_return access.error();
  schedule::TaskList answer;
  for (auto& task : services.tasks.list(access->owner, access->agent))
    if (task.made_by == peer_name(request.caller.user_id)) answer.tasks.push_back(schedule::item_of(std::move(task)));
  answer.count = std::int64_t(answer.tasks.size());
  co_return web::reply(answer, 200);
}

web::Answer create_schedule(const Services& services, const Request& request, NewSchedule body) {
  const auto access = services.sharing.require(request.caller.user_id, request.param("id"), Role::builder);
  if (!access) co_return access.error();
  schedule::NewTask task{.name = std::move(body.name),
                         .agent = access->agent,
                         .cron_schedule = std::move(body.cronSchedule),
                         .prompt = std::move(body.prompt),
                         .description = {},
                         .timezone = {},
                         .enabled = body.enabled.value_or(true),
                         .made_by = peer_name(request.caller.user_id)};
  if (body.timezone) task.timezone = std::move(*body.timezone);
  auto created = co_await services.tasks.create(access->owner, std::move(task));
  if (!created) co_return created.error();
  co_return web::reply(schedule::item_of(std::move(*created)), 201);
}

web::Answer change_schedule(const Services& services, const Request& request, ScheduleChange body) {
  const auto access = services.sharing.require(request.caller.user_id, request.param("id"), Role::builder);
  if (!access) co_return access.error();
  const auto task = own_task(services, *access, request);
  if (!task) co_return task.error();
  schedule::Changes changes;
  if (body.name) changes.name = std::move(*body.name);
  if (body.cronSchedule) changes.cron_schedule = std::move(*body.cronSchedule);
  if (body.prompt) changes.prompt = std::move(*body.prompt);
  if (body.timezone) changes.timezone = std::move(*body.timezone);
  changes.enabled = body.enabled;
  auto changed = co_await services.tasks.change(access->owner, task->id, std::move(changes), true);
  if (!changed) co_return changed.error();
  co_return web::reply(schedule::item_of(std::move(*changed)), 200);
}

web::Answer remove_schedule(const Services& services, const Request& request) {
  const auto access = services.sharing.require(request.caller.user_id, request.param("id"), Role::builder);
  if (!access) co_return access.error();
  const auto task = own_task(services, *access, request);
  if (!task) co_return task.error();
  const auto removed = co_await services.tasks.remove(access->owner, task->id);
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

constexpr auto schedules_text =
    "The prompt runs in a conversation of the builder, who reads the answers there; no longer once the agent is not "
    "shared with the builder. The limits are those of tasks that agents make.";

}  // namespace

std::vector<web::Route> schedule_rows(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/shared/:id/schedules", guards.session, &hosting::agents_rate,
       web::plain(on(list_schedules)).returns<schedule::TaskList>(),
       "List the caller's scheduled prompts for a shared agent"},
      {web::POST, "/api/shared/:id/schedules", guards.session, &hosting::agents_rate,
       web::body<NewSchedule>(on(create_schedule))
           .returns<schedule::TaskItem>(201)
           .describe(schedules_text)
           .fails({web::Kind::too_many}),
       "Schedule a prompt for a shared agent, as its builder"},
      {web::PATCH, "/api/shared/:id/schedules/:task", guards.session, &hosting::agents_rate,
       web::body<ScheduleChange>(on(change_schedule)).returns<schedule::TaskItem>().describe(schedules_text),
       "Change a scheduled prompt for a shared agent, as its builder"},
      {web::DELETE, "/api/shared/:id/schedules/:task", guards.session, &hosting::agents_rate,
       web::plain(on(remove_schedule)).returns<web::Succeeded>(),
       "Remove a scheduled prompt for a shared agent, as its builder"},
  };
}

}  // namespace sharing
