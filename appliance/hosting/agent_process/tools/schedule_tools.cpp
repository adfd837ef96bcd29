// Prompts that the agent schedules for itself. The box stores and sends them.
#include <boost/json.hpp>

#include "appliance/hosting/agent_process/tools/toolbox.h"
#include "web/fetch.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr auto box_time = std::chrono::seconds(10);

struct ScheduleArguments {
  web::Text<1, 100> name;
  web::Text<1, 200> cronSchedule;
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

// Client of the box's /api/agent-tasks.
struct ScheduleClient {
  std::string url, token;

  web::Task<web::Result<json::value>> call(std::string method, std::string path, json::object body) const {
    web::FetchRequest request{.url = url + path, .method = std::move(method)};
    request.headers.emplace_back("Authorization", "Bearer " + token);
    if (!body.empty()) {
      request.headers.emplace_back("Content-Type", "application/json");
      request.body = json::serialize(body);
    }
    request.timeout = box_time;
    request.max_bytes = 2u << 20;
    const auto response = co_await web::fetch(std::move(request));
    if (!response) co_return web::unavailable("The box cannot be reached: " + response.error().message);
    auto answer = web::parse_json(response->body, "answer");
    if (!answer || !answer->is_object()) co_return web::unavailable("The box sent an answer that is not a JSON object");
    if (response->status < 300) co_return std::move(*answer);
    const auto* message = answer->get_object().if_contains("error");
    co_return web::invalid(message && message->is_string() ? std::string(message->get_string()) : "The box refused it");
  }
};

json::object body_of(const ScheduleArguments& arguments) {
  json::object body{{"name", arguments.name}, {"cronSchedule", arguments.cronSchedule}, {"prompt", arguments.prompt}};
  if (arguments.timezone) body["timezone"] = *arguments.timezone;
  return body;
}

}  // namespace

std::vector<Tool> schedule_tools(const std::string& backend_url, const std::string& box_token) {
  const ScheduleClient client{backend_url + "/api/agent-tasks", box_token};
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
