#include "appliance/chat/chat.h"
#include "web/endpoint.h"

namespace chat {
namespace {

using web::Request;
using web::Response;
using web::Result;
using web::Task;

const web::RateLimit chat_rate{.group = "chat", .limit = 60};

struct Send {
  web::Text<1, 128> agentId;
  web::Prose<1, 32'000> message;
};
BOOST_DESCRIBE_STRUCT(Send, (), (agentId, message))

struct Ask {
  web::Text<1, 128> agentId;
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 200>> before;
};
BOOST_DESCRIBE_STRUCT(Ask, (), (agentId, limit, before))

struct Item {
  std::string id;
  Role role;
  std::string content;
  store::Time createdAt;
  // Of the user's messages: whether the agent has answered, and why it could not.
  std::optional<Delivery> delivery;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(Item, (), (id, role, content, createdAt, delivery, error))

struct Sent {
  bool success = true;
  Item message;
  std::string model;
  boost::json::object usage;
};
BOOST_DESCRIBE_STRUCT(Sent, (), (success, message, model, usage))

struct History {
  std::vector<Item> messages;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(History, (), (messages, count))

Item item_of(Message message) {
  Item item{.id = std::move(message.id),
            .role = message.role,
            .content = std::move(message.content),
            .createdAt = message.created_at,
            .delivery = {},
            .error = {}};
  if (message.role == Role::user) item.delivery = message.delivery;
  if (message.delivery == Delivery::failed) item.error = std::move(message.failure);
  return item;
}

}  // namespace

std::vector<web::Route> web_routes(Chat& service, const agentbox::Guards& guards) {
  auto send = [&service](Request& request, Send wanted) -> Task<Result<Response>> {
    auto answer = co_await service.send(request.caller.user_id, std::move(wanted.agentId), std::move(wanted.message));
    if (!answer) co_return answer.error();
    const Sent sent{.message = item_of(std::move(answer->message)),
                    .model = std::move(answer->model),
                    .usage = std::move(answer->usage)};
    co_return web::reply(sent, 200);
  };
  auto history = [&service](Request& request, Ask asked) -> Task<Result<Response>> {
    Slice slice;
    slice.agent = std::move(asked.agentId);
    if (asked.limit) slice.limit = std::size_t(asked.limit->value);
    if (asked.before) slice.before = std::move(*asked.before);
    auto found = service.history(request.caller.user_id, slice);
    if (!found) co_return found.error();
    History answer;
    for (auto& message : *found) answer.messages.push_back(item_of(std::move(message)));
    answer.count = std::int64_t(answer.messages.size());
    co_return web::reply(answer, 200);
  };
  return {
      {web::POST, "/api/chat", guards.session, &chat_rate,
       web::body<Send>(send).returns<Sent>().describe(
           "Waits for the agent's answer; who cannot wait finds it in the history. 409 while the agent does not run; "
           "502 "
           "or 504 when its gateway fails: the message is kept then, with its `error` in the history."),
       "Send a message to an agent"},
      {web::GET, "/api/chat", guards.session, &chat_rate,
       web::query<Ask>(history).returns<History>().describe(
           "The newest `limit` (50) messages, or those before the message `before`; oldest first. A message of the "
           "user "
           "is `sent` while the agent works on it, then `answered`, or `failed` with its `error`."),
       "Messages with an agent"},
  };
}

}  // namespace chat
