#include "appliance/hosting/schedule/schedule.h"
#include "appliance/hosting/schedule/views.h"
#include "web/endpoint.h"

namespace schedule {

namespace {

using web::Request;
using web::Response;
using web::Result;

struct Wish {
  web::Text<1, 100> name;
  web::Text<1, 200> cronSchedule;
  web::Prose<1, 32'000> prompt;
  std::optional<web::Text<1, 64>> timezone;
};
BOOST_DESCRIBE_STRUCT(Wish, (), (name, cronSchedule, prompt, timezone))

struct Cancelled {
  bool success = true;
  std::string taskId;
};
BOOST_DESCRIBE_STRUCT(Cancelled, (), (success, taskId))

}  // namespace

std::vector<web::Route> backend_routes(Schedule& schedule, const agentbox::Guards& guards) {
  using Answer = web::Task<Result<Response>>;
  auto& service = schedule.tasks;

  auto list = [&service](Request& request) -> Answer {
    co_return web::reply(views(service.list(request.caller.user_id, request.caller.agent)), 200);
  };
  auto create = [&service](Request& request, Wish wish) -> Answer {
    NewTask task{.name = std::move(wish.name),
                 .agent = request.caller.agent,
                 .cron_schedule = std::move(wish.cronSchedule),
                 .prompt = std::move(wish.prompt),
                 .description = "Made by the agent itself.",
                 .timezone = wish.timezone ? std::move(*wish.timezone) : std::string()};
    auto created = co_await service.create(request.caller.user_id, std::move(task));
    if (!created) co_return created.error();
    co_return web::reply(view(std::move(*created)), 201);
  };
  auto remove = [&service](Request& request) -> Answer {
    const Cancelled answer{.taskId = request.param("taskId")};
    const auto task = service.find(request.caller.user_id, answer.taskId);
    if (!task || task->agent != request.caller.agent) co_return web::not_found("No such task");
    const auto removed = co_await service.remove(request.caller.user_id, answer.taskId);
    if (!removed) co_return removed.error();
    co_return web::reply(answer, 200);
  };

  return {
      {web::GET, "/api/agent-tasks", guards.agent_token, nullptr, web::plain(list).returns<TaskList>(),
       "The prompts scheduled for the agent that asks, newest first"},
      {web::POST, "/api/agent-tasks", guards.agent_token, nullptr,
       web::body<Wish>(create).returns<TaskView>(201).describe(
           "As POST /api/scheduled-tasks on the web, which describes the fields. Counts among its owner's tasks."),
       "Schedule a prompt to oneself, as an agent"},
      {web::DELETE, "/api/agent-tasks/:taskId", guards.agent_token, nullptr, web::plain(remove).returns<Cancelled>(),
       "Delete a prompt scheduled for the agent that asks"},
  };
}

}  // namespace schedule
