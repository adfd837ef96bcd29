#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/chat/relay.h"
#include "appliance/hosting/chat/views.h"
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
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(Send, (), (agentId, message, stream))

struct Ask {
  web::Text<1, 128> agentId;
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 200>> before;
};
BOOST_DESCRIBE_STRUCT(Ask, (), (agentId, limit, before))

struct Page {
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 200>> before;
};
BOOST_DESCRIBE_STRUCT(Page, (), (limit, before))

Slice slice_of(std::string agent, const Page& page) {
  Slice slice;
  slice.agent = std::move(agent);
  if (page.limit) slice.limit = std::size_t(page.limit->value);
  if (page.before) slice.before = *page.before;
  return slice;
}

Result<Response> answer_of(Result<std::vector<Message>> found) {
  if (!found) return found.error();
  return web::reply(view(std::move(*found)), 200);
}

const web::RateLimit agents_rate{.group = "agents", .limit = 100};

constexpr auto paging =
    "The newest `limit` (50) messages, or those before the message `before`; oldest first. A message of the user is "
    "`sent` while it waits or the agent works on it, then `answered`, or `failed` with its `error`.";

}  // namespace

std::vector<web::Route> web_routes(Chat& service, const agentbox::Guards& guards) {
  auto send = [&service](Request& request, Send wanted) -> Task<Result<Response>> {
    auto asked = co_await service.ask(request.caller.user_id, std::move(wanted.agentId), std::move(wanted.message));
    if (!asked) co_return asked.error();
    if (wanted.stream.value_or(false)) co_return co_await streamed_answer(service, std::move(*asked));
    auto answer = co_await service.answer(std::move(*asked));
    if (!answer) co_return answer.error();
    co_return web::reply(view(std::move(*answer)), 200);
  };
  auto history = [&service](Request& request, Ask asked) -> Task<Result<Response>> {
    const Page page{.limit = asked.limit, .before = std::move(asked.before)};
    co_return answer_of(service.history(request.caller.user_id, slice_of(std::move(asked.agentId), page)));
  };
  auto of_one = [&service](Request& request, Page page) -> Task<Result<Response>> {
    co_return answer_of(service.history(request.caller.user_id, slice_of(request.param("id"), page)));
  };
  return {
      {web::POST, "/api/chat", guards.session, &chat_rate,
       web::body<Send>(send).returns<Sent>().describe(
           "Waits for the agent's answer; who cannot wait finds it in the history. With `stream` the answer comes as "
           "server-sent events: `delta` {content} for each piece, then `done` with what is answered without it, or "
           "`error` {error, status, code?, ...}. 409 while the agent does not run; one that is about to run (it is "
           "being started, restarted, updated or repaired) gets the message as soon as it does. 402 or 429 with a "
           "`code` when its owner may not spend more on models (SUBSCRIPTION_REQUIRED, QUOTA_EXCEEDED, CAP_REACHED, "
           "...; where it ends, `resetsAt` and `Retry-After` say when), 502 or 504 when its gateway fails: the message "
           "is kept then, with its `error` in the history."),
       "Send a message to an agent"},
      {web::GET, "/api/chat", guards.session, &chat_rate, web::query<Ask>(history).returns<History>().describe(paging),
       "Messages with an agent"},
      {web::GET, "/api/agents/:id/messages", guards.session, &agents_rate,
       web::query<Page>(of_one).returns<History>().describe(paging), "Messages with an agent"},
  };
}

std::vector<web::Route> backend_routes(Chat& service, const agents::Agents& agents, const agentbox::Guards& guards) {
  auto history = [&service, &agents](Request& request, Page page) -> Task<Result<Response>> {
    const auto agent = agents.find(request.param("id"));
    if (!agent) co_return web::not_found();
    co_return answer_of(service.history(agent->owner, slice_of(agent->id, page)));
  };
  return {
      {web::GET, "/api/agents/:id/messages", guards.internal_key, nullptr,
       web::query<Page>(history).returns<History>().describe(paging), "Messages with an agent"},
  };
}

}  // namespace chat
