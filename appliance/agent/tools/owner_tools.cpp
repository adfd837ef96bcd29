// What the agent shows its owner unasked: the list of a long task, which the console shows beside the turn, and
// notices, which the box puts into the conversation and sends as the owner has chosen.
#include <boost/json.hpp>

#include "appliance/agent/tools/box_client.h"
#include "appliance/agent/tools/toolbox.h"

namespace agent_process {

namespace json = boost::json;

namespace {

BOOST_DEFINE_ENUM_CLASS(TodoStatus, open, in_progress, done)

struct TodoItem {
  web::Text<1, 200> text;
  std::optional<TodoStatus> status;
};
BOOST_DESCRIBE_STRUCT(TodoItem, (), (text, status))

struct TodoArguments {
  web::List<TodoItem, 0, 50> items;
};
BOOST_DESCRIBE_STRUCT(TodoArguments, (), (items))

struct NoticeArguments {
  web::Prose<1, 4'000> text;
  std::optional<web::Text<1, 100>> subject;
};
BOOST_DESCRIBE_STRUCT(NoticeArguments, (), (text, subject))

// The list itself is the call, which the conversation and the event of the turn carry.
web::Task<web::Result<json::value>> count(TodoArguments list) {
  std::size_t done = 0, in_progress = 0;
  json::object result{{"items", list.items.size()}};
  for (const auto& item : list.items) {
    const auto status = item.status.value_or(TodoStatus::open);
    done += status == TodoStatus::done ? 1 : 0;
    in_progress += status == TodoStatus::in_progress ? 1 : 0;
    if (status != TodoStatus::done && !result.contains("next")) result["next"] = item.text;
  }
  if (in_progress > 1) co_return web::invalid("only one item may be in_progress: set the others to open or done");
  result["done"] = done;
  co_return json::value(std::move(result));
}

}  // namespace

std::vector<Tool> owner_tools(const std::string& backend_url, const std::string& box_token) {
  const BoxClient client{backend_url + "/api/agent-notices", box_token};
  return {
      tool<TodoArguments>("todo",
                          "Keep the list of a long task, which your owner sees: send the whole list each time. status: "
                          "open, in_progress (one item) or done.",
                          [](TodoArguments list) { return count(std::move(list)); }),
      tool<NoticeArguments>(
          "notify_owner",
          "Tell your owner something unasked: it appears in the console, and is sent by the ways that your owner "
          "has chosen. At most 20 a day. For answers to your owner's messages just answer.",
          [client](NoticeArguments arguments) -> web::Task<web::Result<json::value>> {
            json::object body{{"text", arguments.text}};
            if (arguments.subject) body["subject"] = *arguments.subject;
            co_return co_await client.call("POST", "", std::move(body));
          }),
  };
}

}  // namespace agent_process
