// The time, and prompts that the agent schedules for itself. The box knows the zones, and stores and sends the prompts.
#include <boost/json.hpp>

#include "appliance/agent/tools/box_client.h"
#include "appliance/agent/tools/toolbox.h"
#include "appliance/identity/oauth/form.h"
#include "web/ascii.h"

namespace agent_process {

namespace json = boost::json;

namespace {

using Zone = web::Text<1, 64>;

struct ScheduleArguments {
  web::Text<1, 100> name;
  web::Prose<1, 190> cronSchedule;
  web::Prose<1, 32'000> prompt;
  std::optional<Zone> timezone;
  std::optional<bool> tellOwner;
};
BOOST_DESCRIBE_STRUCT(ScheduleArguments, (), (name, cronSchedule, prompt, timezone, tellOwner))

struct OnceArguments {
  web::Text<1, 100> name;
  web::Text<1, 100> at;
  web::Prose<1, 32'000> prompt;
  std::optional<bool> tellOwner;
};
BOOST_DESCRIBE_STRUCT(OnceArguments, (), (name, at, prompt, tellOwner))

struct NoArguments {};
BOOST_DESCRIBE_STRUCT(NoArguments, (), ())

struct TaskArguments {
  web::Id taskId;
};
BOOST_DESCRIBE_STRUCT(TaskArguments, (), (taskId))

struct NowArguments {
  std::optional<Zone> timezone;
};
BOOST_DESCRIBE_STRUCT(NowArguments, (), (timezone))

json::object body_of(const ScheduleArguments& arguments) {
  json::object body{{"name", arguments.name}, {"cronSchedule", arguments.cronSchedule}, {"prompt", arguments.prompt}};
  if (arguments.timezone) body["timezone"] = *arguments.timezone;
  if (arguments.tellOwner) body["tellOwner"] = *arguments.tellOwner;
  return body;
}

// `at` is a local time and, after a space, its zone.
json::object body_of(const OnceArguments& arguments) {
  const std::string_view at = arguments.at;
  const auto time = at.substr(0, at.find(' '));
  const auto zone = web::trim(at.substr(time.size()), web::white_space);
  json::object body{
      {"name", arguments.name}, {"cronSchedule", "@at " + std::string(time)}, {"prompt", arguments.prompt}};
  if (!zone.empty()) body["timezone"] = zone;
  if (arguments.tellOwner) body["tellOwner"] = *arguments.tellOwner;
  return body;
}

}  // namespace

std::vector<Tool> schedule_tools(const std::string& backend_url, const std::string& box_token) {
  const BoxClient client{backend_url + "/api/agent-tasks", box_token};
  const BoxClient clock{backend_url + "/api/agent-time", box_token};
  return {
      tool<NowArguments>("now",
                         "The current time, in UTC and in a zone. timezone: an IANA name as Europe/London; without it, "
                         "the box's own.",
                         [clock](NowArguments arguments) -> web::Task<web::Result<json::value>> {
                           json::object body;
                           auto query = arguments.timezone ? "?timezone=" + oauth::encoded(*arguments.timezone) : "";
                           co_return co_await clock.call("GET", std::move(query), std::move(body));
                         }),
      tool<ScheduleArguments>(
          "schedule_prompt",
          "Have a prompt sent to yourself again and again. cronSchedule: minute hour day-of-month month "
          "day-of-week, as '0 9 * * MON-FRI'; timezone: an IANA name as Europe/London; tellOwner: your owner gets the "
          "answer as a notice.",
          [client](ScheduleArguments arguments) -> web::Task<web::Result<json::value>> {
            auto body = body_of(arguments);
            co_return co_await client.call("POST", "", std::move(body));
          }),
      tool<OnceArguments>(
          "schedule_once",
          "Have a prompt sent to yourself once, for reminders: at is a local time and its zone, as '2026-12-01T09:00 "
          "Europe/Berlin'; tellOwner: your owner gets the answer as a notice. Ask the tool now for today's date first.",
          [client](OnceArguments arguments) -> web::Task<web::Result<json::value>> {
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
