#include "appliance/hosting/chat/handlers.h"

#include <functional>
#include <map>

#include "appliance/access/key_guards.h"
#include "appliance/hosting/chat/answer_stream.h"
#include "appliance/hosting/chat/search.h"
#include "appliance/hosting/rate_groups.h"
#include "web/utf8.h"

namespace chat {

namespace {

using web::Request;

constexpr std::size_t default_overviews = 100, max_found_per_agent = 50;

// The messages of an agent that a query selects.
web::Result<web::Response> messages_of(const Chat& chat, store::UserId owner, std::string agent, PageQuery query) {
  Slice slice;
  slice.agent = std::move(agent);
  if (query.limit) slice.limit = std::size_t(query.limit->value);
  if (query.before) slice.before = std::move(*query.before);
  if (query.conversationId) slice.conversation = std::move(*query.conversationId);
  if (query.q) {
    auto found = search(chat, owner, slice, *query.q);
    if (!found) return found.error();
    return web::reply(view(std::move(*found)), 200);
  }
  auto page = chat.history(owner, slice);
  if (!page) return page.error();
  return web::reply(view(std::move(*page)), 200);
}

web::Answer send_message(const Services& services, const Request& request, SendRequest body) {
  auto& chat = services.chat;
  Sender sender;
  if (body.conversationId) sender = Sender::in(std::move(*body.conversationId));
  sender.is_unguarded = body.allow.value_or(false);
  if (body.files && !body.files->empty()) {
    sender.files.assign(body.files->begin(), body.files->end());
    if (!services.agents.find(request.caller.user_id, body.agentId)) co_return web::not_found();
    const auto check = [&] { return services.conversations.check_files(body.agentId, sender.files); };
    const auto checked = co_await web::offload(services.blocking, check);
    if (!checked) co_return checked.error();
  }
  auto question =
      co_await chat.ask(request.caller.user_id, std::move(body.agentId), std::move(body.message), std::move(sender));
  if (!question) co_return question.error();
  if (body.stream.value_or(false))
    co_return co_await stream_answer(chat, std::move(*question), body.keep.value_or(false));
  auto answer = co_await chat.answer(std::move(*question));
  if (!answer) co_return answer.error();
  co_return web::reply(view(std::move(*answer)), 200);
}

web::Answer follow(const Services& services, const Request& request, FollowQuery query) {
  const auto user = request.caller.user_id;
  const std::string agent = std::move(query.agentId);
  const std::string question = std::move(query.messageId);
  if (!services.agents.find(user, agent) || !question.starts_with(agent + ".")) co_return web::not_found();
  co_return follow_answer(services.chat.live_answer(user, agent, question));
}

// The newest message of a conversation, or of those that were found in it.
ConversationOverview overview_of(Conversation one, const Message* message) {
  constexpr std::size_t max_bytes = 280;
  ConversationOverview overview{
      .agentId = one.agent, .conversation = view(std::move(one)), .text = {}, .messageId = {}};
  if (message) {
    overview.text = web::utf8_prefix(message->content, max_bytes);
    overview.messageId = message->id;
  }
  return overview;
}

web::Answer list_all_conversations(const Services& services, const Request& request, OverviewQuery query) {
  const auto user = request.caller.user_id;
  const auto limit = query.limit ? std::size_t(query.limit->value) : default_overviews;
  ConversationOverviews answer;
  std::map<std::string, std::vector<Message>> found;  // by conversation, newest first
  if (query.q) {
    for (const auto& agent : services.agents.list(user)) {
      Slice slice{.agent = agent.id, .limit = max_found_per_agent};
      auto matches = search(services.chat, user, slice, *query.q);
      if (!matches) continue;
      for (auto& message : matches->messages) {
        auto& of_conversation = found[conversation_of(message)];
        of_conversation.insert(of_conversation.begin(), std::move(message));
      }
    }
  }
  for (auto& one : services.conversations.list_all(user, query.q ? Conversations::max_listed : limit)) {
    if (answer.conversations.size() == limit) break;
    if (query.q) {
      const auto matches = found.find(one.id);
      if (matches != found.end())
        answer.conversations.push_back(overview_of(std::move(one), &matches->second.front()));
      else if (contains_text(one.title, *query.q))
        answer.conversations.push_back(overview_of(std::move(one), nullptr));
      continue;
    }
    const Slice slice{.agent = one.agent, .conversation = one.id, .limit = 1};
    const auto last = services.chat.history(user, slice);
    answer.conversations.push_back(overview_of(std::move(one), last && !last->empty() ? &last->back() : nullptr));
  }
  answer.count = std::int64_t(answer.conversations.size());
  co_return web::reply(answer, 200);
}

web::Answer stop_answers(const Services& services, const Request& request, StopRequest body) {
  const auto stopped = services.chat.stop(request.caller.user_id, body.agentId);
  if (!stopped) co_return stopped.error();
  co_return web::reply(Stopped{.stopped = std::int64_t(*stopped)}, 200);
}

// The agent is named by the query.
web::Answer show_history(const Services& services, const Request& request, HistoryQuery query) {
  PageQuery page{.limit = query.limit,
                 .before = std::move(query.before),
                 .q = std::move(query.q),
                 .conversationId = std::move(query.conversationId)};
  co_return messages_of(services.chat, request.caller.user_id, std::move(query.agentId), std::move(page));
}

// The agent is named by the path.
web::Answer list_messages(const Services& services, const Request& request, PageQuery query) {
  co_return messages_of(services.chat, request.caller.user_id, request.param("id"), std::move(query));
}

// The same for the agents of all users.
web::Answer list_messages_of_any_agent(const Services& services, const Request& request, PageQuery query) {
  const auto agent = services.agents.find(request.param("id"));
  if (!agent) co_return web::not_found();
  co_return messages_of(services.chat, agent->owner, agent->id, std::move(query));
}

web::Answer list_conversations(const Services& services, const Request& request) {
  const auto user = request.caller.user_id;
  const auto& agent = request.param("id");
  auto found = services.conversations.list(user, agent);
  if (!found) co_return found.error();
  ConversationList list;
  for (auto& one : *found) list.conversations.push_back(view(std::move(one)));
  list.count = std::int64_t(list.conversations.size());
  list.current = services.conversations.current(user, agent).id;
  co_return web::reply(list, 200);
}

web::Result<web::Response> conversation_answer(web::Result<Conversation> one, int status) {
  if (!one) return one.error();
  const ConversationAnswer answer{.conversation = view(std::move(*one))};
  return web::reply(answer, status);
}

web::Answer create_conversation(const Services& services, const Request& request, NewConversation body) {
  auto title = body.title ? std::string(std::move(*body.title)) : std::string();
  co_return conversation_answer(
      co_await services.conversations.create(request.caller.user_id, request.param("id"), std::move(title)), 201);
}

web::Answer show_conversation(const Services& services, const Request& request) {
  co_return conversation_answer(
      services.conversations.find(request.caller.user_id, request.param("id"), request.param("conversation")), 200);
}

web::Answer change_conversation(const Services& services, const Request& request, ConversationChange body) {
  ConversationEdit edit{
      .title = {}, .is_archived = body.archived, .is_pinned = body.pinned, .folder = {}, .model = {}, .effort = {}};
  if (body.folder) edit.folder = std::move(*body.folder);
  if (body.title) edit.title = std::move(*body.title);
  if (body.model) {
    if (const auto known = agents::check_model(*body.model, "model", services.rules); !known) co_return known.error();
    edit.model = std::move(*body.model);
  }
  if (body.reasoningEffort) {
    if (const auto known = agents::check_effort(*body.reasoningEffort, "reasoningEffort"); !known)
      co_return known.error();
    edit.effort = std::move(*body.reasoningEffort);
  }
  co_return conversation_answer(co_await services.conversations.edit(request.caller.user_id, request.param("id"),
                                                                     request.param("conversation"), std::move(edit)),
                                200);
}

web::Answer branch_conversation(const Services& services, const Request& request, BranchRequest body) {
  std::string before = std::move(body.before);
  co_return conversation_answer(
      co_await services.conversations.branch(request.caller.user_id, request.param("id"), request.param("conversation"),
                                             std::move(before)),
      201);
}

web::Answer go_back(const Services& services, store::UserId owner, std::string agent, RewindRequest body) {
  const bool preview = body.preview.value_or(false);
  std::string message = std::move(body.message);
  auto undone = co_await services.conversations.rewind(owner, std::move(agent), std::move(message), preview);
  if (!undone) co_return undone.error();
  RewindAnswer answer{.preview = preview,
                      .files = std::move(undone->files),
                      .turns = undone->turns,
                      .messages = undone->messages,
                      .notUndone = {}};
  for (auto& effect : undone->effects) answer.notUndone.push_back({.tool = std::move(effect.tool), .at = effect.at});
  co_return web::reply(answer, 200);
}

web::Answer rewind_agent(const Services& services, const Request& request, RewindRequest body) {
  return go_back(services, request.caller.user_id, request.param("id"), std::move(body));
}

// The same for the agents of all users.
web::Answer rewind_any_agent(const Services& services, const Request& request, RewindRequest body) {
  const auto agent = services.agents.find(request.param("id"));
  if (!agent) co_return web::not_found();
  co_return co_await go_back(services, agent->owner, agent->id, std::move(body));
}

web::Answer set_title(const Services& services, const Request& request, TitleRequest body) {
  auto name = body.conversation ? std::string(std::move(*body.conversation)) : std::string();
  co_return conversation_answer(co_await services.conversations.set_title(request.caller.user_id, request.caller.agent,
                                                                          std::move(name), std::move(body.title)),
                                200);
}

web::Answer delete_conversation(const Services& services, const Request& request) {
  co_return conversation_answer(co_await services.conversations.remove(request.caller.user_id, request.param("id"),
                                                                       request.param("conversation")),
                                200);
}

constexpr auto listing_conversations =
    "Pinned ones first, then by their newest message; at most 1,000. Those of the audience `peer` are with other users "
    "and agents: the owner can read them, and the agent answers there without anything of the owner's.";

constexpr auto changing_conversation =
    "Only the given fields change. `model` (one of this box's) and `reasoningEffort` (none, minimal, low, medium, "
    "high, "
    "xhigh) replace those of the agent in this conversation; empty ones are the agent's again.";

constexpr auto branching =
    "A new conversation with copies of the messages before `before`, a message of the owner (the newest 500). The "
    "agent "
    "knows them when the next message is sent to it, which edits or repeats that message. The origin does not change.";

constexpr auto rewinding =
    "Makes the agent's files and memory, and the conversation of `message`, what they were before this message of the "
    "owner. Files that other conversations have changed since are undone, too; the git history keeps them. `notUndone` "
    "lists calls of tools since then that reached others and cannot be undone, by the agent's traces. With `preview` "
    "nothing changes. 404 when the agent keeps no point for the message (the newest 1,000 turns have one); 409 when "
    "the "
    "agent is not running, or its image is not the box's own.";

constexpr auto deleting_conversation =
    "With its messages, and what the agent keeps of it; the agent's memory of a peer goes with the peer's last "
    "conversation. 502 when a running agent does not remove its part: then nothing is deleted.";

constexpr auto sending =
    "Continues the conversation `conversationId`; without it the owner's newest one. Waits for the agent's answer; "
    "clients that cannot wait find it in the history. The agent's guard stops a turn that runs in circles or spends "
    "too "
    "fast: the answer then ends with the reason, and has `guard` (same_calls, no_progress, spend_rate). With `allow` "
    "the owner lets a turn go on: it is not watched. `files` are paths in the agent's workspace (see uploads): "
    "pictures are "
    "shown to models that can see, at most 600 KB in one turn, and the agent reads documents with its tools. With "
    "`stream` the answer is sent "
    "as server-sent events: `delta` {content} for each piece of text, `tool_call` {id, name, arguments} and "
    "`tool_result` {id, name, result, failed, durationMs} for the agent's steps, `queued` {place, expectedSeconds} "
    "while the agent waits in the queue before its model, with place 0 once it does not, then `done` with the complete "
    "answer, or `error` {error, status, code?, ...}. Closing the stream stops the answer, as "
    "/api/chat/stop does; with `keep` it goes on, /api/chat/stream follows it, and the first event is `question` "
    "{id, conversationId}. "
    "409 if the "
    "agent is not running; an agent that is being started, restarted, updated or "
    "repaired gets the message as soon as it runs. 402 or 429 with a `code` when the owner's model budget is used up "
    "(SUBSCRIPTION_REQUIRED, QUOTA_EXCEEDED, CAP_REACHED, ...; `resetsAt` and `Retry-After` say until when), 502 or "
    "504 "
    "when the agent's gateway fails: the message is then stored, with its `error` in the history.";

constexpr auto following =
    "Server-sent events of the answer to the question `messageId` while it is on its way, from its beginning: `delta`, "
    "`tool_call`, `tool_result` and `queued` as POST /api/chat sends them, then `end`, when the history has the answer "
    "or its "
    "error. Only `end` for an answer that is not on its way. Closing the stream stops nothing.";

constexpr auto listing_all =
    "Pinned ones first, then by their newest message, each with the beginning of that message. With `q` those with "
    "this "
    "text in their title or messages (of each agent at most the 50 newest messages with it), with the newest match.";

constexpr auto stopping =
    "Stops the answers that the agent is working on, streamed or not. What has arrived of them is stored, with "
    "`stopped`; a message without any answer yet fails. Returns how many were stopped.";

constexpr auto paging =
    "The newest `limit` (50) messages of all conversations or of `conversationId`, or those before the message "
    "`before`; oldest first. A message of the user is "
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
      {web::GET, "/api/chat/stream", owner, &hosting::agents_rate,
       web::query<FollowQuery>(on(follow)).describe(following), "Follow an answer that is on its way"},
      {web::GET, "/api/conversations", owner, &hosting::agents_rate,
       web::query<OverviewQuery>(on(list_all_conversations)).returns<ConversationOverviews>().describe(listing_all),
       "List conversations with all agents"},
      {web::GET, "/api/chat", owner, &hosting::chat_rate,
       web::query<HistoryQuery>(on(show_history)).returns<History>().describe(paging), "List messages with an agent"},
      {web::GET, "/api/agents/:id/messages", owner, &hosting::agents_rate,
       web::query<PageQuery>(on(list_messages)).returns<History>().describe(paging), "List messages with an agent"},
      {web::GET, "/api/agents/:id/conversations", owner, &hosting::agents_rate,
       web::plain(on(list_conversations)).returns<ConversationList>().describe(listing_conversations),
       "List conversations with an agent"},
      {web::POST, "/api/agents/:id/conversations", owner, &hosting::agents_rate,
       web::body<NewConversation>(on(create_conversation)).returns<ConversationAnswer>(201), "Begin a conversation"},
      {web::GET, "/api/agents/:id/conversations/:conversation", owner, &hosting::agents_rate,
       web::plain(on(show_conversation)).returns<ConversationAnswer>(), "Show a conversation"},
      {web::PATCH, "/api/agents/:id/conversations/:conversation", owner, &hosting::agents_rate,
       web::body<ConversationChange>(on(change_conversation))
           .returns<ConversationAnswer>()
           .describe(changing_conversation),
       "Rename, archive, pin or file a conversation, or choose its model"},
      {web::DELETE, "/api/agents/:id/conversations/:conversation", owner, &hosting::agents_rate,
       web::plain(on(delete_conversation)).returns<ConversationAnswer>().describe(deleting_conversation),
       "Delete a conversation"},
      {web::POST, "/api/agents/:id/conversations/:conversation/branch", owner, &hosting::agents_rate,
       web::body<BranchRequest>(on(branch_conversation)).returns<ConversationAnswer>(201).describe(branching),
       "Branch a conversation before a message"},
      {web::POST, "/api/agents/:id/rewind", owner, &hosting::agents_rate,
       web::body<RewindRequest>(on(rewind_agent))
           .returns<RewindAnswer>()
           .describe(rewinding)
           .fails({web::Kind::conflict, web::Kind::bad_gateway}),
       "Go back to before a message"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/agents/:id/messages", guards.backend.agents, nullptr,
       web::query<PageQuery>(on(list_messages_of_any_agent)).returns<History>().describe(paging),
       "List messages with an agent"},
      {web::POST, "/api/agents/:id/rewind", guards.backend.agents, nullptr,
       web::body<RewindRequest>(on(rewind_any_agent))
           .returns<RewindAnswer>()
           .describe(rewinding)
           .fails({web::Kind::conflict, web::Kind::bad_gateway}),
       "Go back to before a message"},
      {web::POST, "/api/agent-titles", guards.agent_token, nullptr,
       web::body<TitleRequest>(on(set_title))
           .returns<ConversationAnswer>()
           .describe("Kept unless the owner has renamed the conversation meanwhile."),
       "Title a conversation with the calling agent"},
  };
}

}  // namespace chat
