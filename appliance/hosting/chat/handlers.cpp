#include "appliance/hosting/chat/handlers.h"

#include "appliance/hosting/chat/answer_stream.h"
#include "appliance/hosting/chat/search.h"

namespace chat {

namespace {

using web::Request;

// The messages of an agent that a query selects.
web::Result<web::Response> messages_of(const Chat& chat, store::UserId owner, std::string agent, PageQuery query) {
  Slice slice;
  slice.agent = std::move(agent);
  if (query.limit) slice.limit = std::size_t(query.limit->value);
  if (query.before) slice.before = std::move(*query.before);
  if (query.q) {
    auto found = search(chat, owner, slice, *query.q);
    if (!found) return found.error();
    return web::reply(view(std::move(*found)), 200);
  }
  auto page = chat.history(owner, slice);
  if (!page) return page.error();
  return web::reply(view(std::move(*page)), 200);
}

}  // namespace

web::Answer send_message(const Services& services, const Request& request, SendRequest body) {
  auto& chat = services.chat;
  auto question = co_await chat.ask(request.caller.user_id, std::move(body.agentId), std::move(body.message));
  if (!question) co_return question.error();
  if (body.stream.value_or(false)) co_return co_await stream_answer(chat, std::move(*question));
  auto answer = co_await chat.answer(std::move(*question));
  if (!answer) co_return answer.error();
  co_return web::reply(view(std::move(*answer)), 200);
}

web::Answer stop_answers(const Services& services, const Request& request, StopRequest body) {
  const auto stopped = services.chat.stop(request.caller.user_id, body.agentId);
  if (!stopped) co_return stopped.error();
  co_return web::reply(Stopped{.stopped = std::int64_t(*stopped)}, 200);
}

web::Answer show_history(const Services& services, const Request& request, HistoryQuery query) {
  PageQuery page{.limit = query.limit, .before = std::move(query.before), .q = std::move(query.q)};
  co_return messages_of(services.chat, request.caller.user_id, std::move(query.agentId), std::move(page));
}

web::Answer list_messages(const Services& services, const Request& request, PageQuery query) {
  co_return messages_of(services.chat, request.caller.user_id, request.param("id"), std::move(query));
}

web::Answer list_messages_of_any_agent(const Services& services, const Request& request, PageQuery query) {
  const auto agent = services.agents.find(request.param("id"));
  if (!agent) co_return web::not_found();
  co_return messages_of(services.chat, agent->owner, agent->id, std::move(query));
}

}  // namespace chat
