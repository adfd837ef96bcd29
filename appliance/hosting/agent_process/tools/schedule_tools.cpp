// Prompts that the agent schedules for itself. The box stores and sends them.
#include <boost/json.hpp>

#include "appliance/hosting/agent_process/tools/box_client.h"
#include "appliance/hosting/agent_process/tools/toolbox.h"

namespace agent_process {

namespace json = boost::json;

namespace {

struct ScheduleArguments {
  web::Text<1, 100> name;
  web::Prose<1, 200> cronSchedule;
  web::Prose<1, 32'000> prompt;
  std::optional<web::Text<1, 64>> timezone;
};
BOOST_DESCRIBE_STRUCT(ScheduleArguments, (), (name, cronSchedule, prompt, timezone))

struct NoArguments {};
BOOST_DESCRIBE_STRUCT(NoArguments, (), ())

struct TaskArguments {
  web::Id taskId;
};
BOOST_DESCRIBE_STRUCT(TaskArguments, (), (taskId))

json::object body_of(const ScheduleArguments& arguments) {
  json::object body{{"name", arguments.name}, {"cronSchedule", arguments.cronSchedule}, {"prompt", arguments.prompt}};
  if (arguments.timezone) body["timezone"] = *arguments.timezone;
  return body;
}

}  // namespace

std::vector<Tool> schedule_tools(const std::string& backend_url, const std::string& box_token) {
  const BoxClient client{backend_url + "/api/agent-tasks", box_token};
  return {
      tool<ScheduleArguments>(
          "schedule_prompt",
          "Have a prompt sent to yourself again and again. cronSchedule: minute hour day-of-month month "
          "day-of-week, as '0 9 * * MON-FRI'; timezone: an IANA name as Europe/London.",
          [client](ScheduleArguments arguments) -> web::Task<web::Result<json::value>> {
            auto body = body_of(arguments);
            co_return co_await client.call("POST", "", std::move(body));
          }),
      tool<NoArguments>("list_scheduled_prompts", "List the prompts that are scheduled for you, with their next runs.",
                        [client](NoArguments) -> web::Task<web::Result<json::value>> {
                          json::object body;
                          co_return co_await client.call("GET", "", std::move(body));
                        }),
      tool<TaskArguments>("cancel_scheduled_prompt", "Delete a prompt that is scheduled for you.",
                          [client](TaskArguments arguments) -> web::Task<web::Result<json::value>> {
                            json::object body;
                            co_return co_await client.call("DELETE", "/" + arguments.taskId, std::move(body));
                          }),
  };
}

}  // namespace agent_process
