#include "appliance/hosting/chat/routes.h"

#include <functional>

#include "appliance/hosting/chat/handlers.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace chat {

namespace {

constexpr auto sending =
    "Waits for the agent's answer; clients that cannot wait find it in the history. With `stream` the answer is sent "
    "as server-sent events: `delta` {content} for each piece of text, `tool_call` {id, name, arguments} and "
    "`tool_result` {id, name, result, failed, durationMs} for the agent's steps, then `done` with the complete answer, "
    "or `error` {error, status, code?, ...}. Closing the stream stops the answer, as /api/chat/stop does. 409 if the "
    "agent is not running; an agent that is being started, restarted, updated or "
    "repaired gets the message as soon as it runs. 402 or 429 with a `code` when the owner's model budget is used up "
    "(SUBSCRIPTION_REQUIRED, QUOTA_EXCEEDED, CAP_REACHED, ...; `resetsAt` and `Retry-After` say until when), 502 or "
    "504 "
    "when the agent's gateway fails: the message is then stored, with its `error` in the history.";

constexpr auto stopping =
    "Stops the answers that the agent is working on, streamed or not. What has arrived of them is stored, with "
    "`stopped`; a message without any answer yet fails. Returns how many were stopped.";

constexpr auto paging =
    "The newest `limit` (50) messages, or those before the message `before`; oldest first. A message of the user is "
    "`sent` while it waits or the agent works on it, then `answered`, or `failed` with its `error`. With `q` only "
    "messages "
    "with this text, whatever the case of ASCII letters; a request looks through at most 10,000 messages, and with "
    "`next` as `before` another one looks further.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::chat);
  return {
      {web::POST, "/api/chat", owner, &hosting::chat_rate,
       web::body<SendRequest>(on(send_message)).returns<Sent>().describe(sending), "Send a message to an agent"},
      {web::POST, "/api/chat/stop", owner, &hosting::chat_rate,
       web::body<StopRequest>(on(stop_answers)).returns<Stopped>().describe(stopping), "Stop an agent's answers"},
      {web::GET, "/api/chat", owner, &hosting::chat_rate,
       web::query<HistoryQuery>(on(show_history)).returns<History>().describe(paging), "List messages with an agent"},
      {web::GET, "/api/agents/:id/messages", owner, &hosting::agents_rate,
       web::query<PageQuery>(on(list_messages)).returns<History>().describe(paging), "List messages with an agent"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/agents/:id/messages", guards.backend.agents, nullptr,
       web::query<PageQuery>(on(list_messages_of_any_agent)).returns<History>().describe(paging),
       "List messages with an agent"},
  };
}

}  // namespace chat
