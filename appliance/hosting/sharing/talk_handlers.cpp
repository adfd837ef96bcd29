// For those an agent is shared with: what they read and say.
#include <algorithm>

#include "appliance/billing/usage/ledger.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/chat/answer_stream.h"
#include "appliance/hosting/chat/views.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/hosting/sharing/handlers.h"
#include "appliance/identity/accounts/accounts.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace sharing {

namespace {

using web::Request;
using ConversationId = web::Text<1, 64>;

constexpr std::size_t default_messages = 50;

// As the person sees it.
struct SharedAgent {
  std::string id, name, model, ownerName;
  agents::Status status = agents::Status::pending;
  Role role = Role::viewer;
  PaidBy paidBy = PaidBy::owner;
  std::optional<std::string> monthlyUsd;  // that the person may use in a month
  std::string usedUsd;                    // of the person, in this month
};
BOOST_DESCRIBE_STRUCT(SharedAgent, (), (id, name, model, ownerName, status, role, paidBy, monthlyUsd, usedUsd))

struct SharedAgents {
  std::vector<SharedAgent> agents;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(SharedAgents, (), (agents, count))

struct SharedConversation : chat::ConversationItem {
  bool own = true;  // else the owner's, to read
};
BOOST_DESCRIBE_STRUCT(SharedConversation, (chat::ConversationItem), (own))

struct SharedConversations {
  std::vector<SharedConversation> conversations;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(SharedConversations, (), (conversations, count))

struct TalkRequest {
  web::Prose<1, 32'000> message;
  std::optional<bool> stream, keep;
  std::optional<ConversationId> conversationId;
};
BOOST_DESCRIBE_STRUCT(TalkRequest, (), (message, stream, keep, conversationId))

struct MessageQuery {
  ConversationId conversationId;
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 200>> before;
};
BOOST_DESCRIBE_STRUCT(MessageQuery, (), (conversationId, limit, before))

// Names an answer that is on its way by its question.
struct AnswerQuery {
  ConversationId conversationId;
  web::Text<1, 200> messageId;
};
BOOST_DESCRIBE_STRUCT(AnswerQuery, (), (conversationId, messageId))

struct StoppedAnswers {
  bool success = true;
  std::int64_t stopped = 0;
};
BOOST_DESCRIBE_STRUCT(StoppedAnswers, (), (success, stopped))

std::optional<SharedAgent> view(const Services& services, store::UserId user, const Access& access) {
  const auto agent = services.agents.find(access.owner, access.agent);
  if (!agent) return std::nullopt;
  SharedAgent shown{.id = agent->id,
                    .name = agent->name,
                    .model = agent->model,
                    .ownerName = {},
                    .status = agent->status,
                    .role = access.role,
                    .paidBy = access.paid_by,
                    .monthlyUsd = {},
                    .usedUsd = {}};
  if (const auto owner = services.accounts.find(access.owner)) shown.ownerName = owner->name;
  if (access.monthly_limit) shown.monthlyUsd = usage::Money::of_units(*access.monthly_limit).to_string();
  const auto payer = access.paid_by == PaidBy::talker ? user : access.owner;
  const auto slice = usage::slice::key(person_key(user, access.agent));
  const auto used =
      services.ledger.spent(payer, usage::tally(usage::Period::month(store::now()), slice), usage::TallyField::cost);
  shown.usedUsd = usage::Money::of_units(used).to_string();
  return shown;
}

web::Answer list_shared(const Services& services, const Request& request) {
  SharedAgents answer;
  const auto user = request.caller.user_id;
  for (const auto& access : services.sharing.shared_with(user))
    if (auto shown = view(services, user, access)) answer.agents.push_back(std::move(*shown));
  answer.count = std::int64_t(answer.agents.size());
  co_return web::reply(answer, 200);
}

web::Answer show_shared(const Services& services, const Request& request) {
  const auto user = request.caller.user_id;
  const auto access = services.sharing.require(user, request.param("id"), Role::viewer);
  if (!access) co_return access.error();
  auto shown = view(services, user, *access);
  if (!shown) co_return web::not_found();
  co_return web::reply(*shown, 200);
}

bool is_own(const chat::Conversation& one, store::UserId user) {
  return one.audience == chat::Audience::peer && one.peer_user == user && one.peer == peer_name(user) &&
         (one.channel == chat::Channel::console || one.channel == chat::Channel::schedule);
}

bool is_shared(const chat::Conversation& one, const Access& access) {
  return one.audience == chat::Audience::owner &&
         std::ranges::find(access.conversations, one.id) != access.conversations.end();
}

SharedConversation item_of(chat::Conversation one, bool own) {
  SharedConversation item;
  static_cast<chat::ConversationItem&>(item) = chat::view(std::move(one));
  item.own = own;
  if (!own) item.folder.clear();
  return item;
}

web::Answer list_conversations(const Services& services, const Request& request) {
  const auto user = request.caller.user_id;
  const auto access = services.sharing.require(user, request.param("id"), Role::viewer);
  if (!access) co_return access.error();
  auto all = services.conversations.list(access->owner, access->agent);
  if (!all) co_return all.error();
  SharedConversations answer;
  for (auto& one : *all) {
    const bool own = is_own(one, user);
    if (own || is_shared(one, *access)) answer.conversations.push_back(item_of(std::move(one), own));
  }
  answer.count = std::int64_t(answer.conversations.size());
  co_return web::reply(answer, 200);
}

// The conversation if the user may read it; not_found for all others.
web::Result<chat::Conversation> readable(const Services& services, const Access& access, store::UserId user,
                                         const std::string& id) {
  auto one = services.conversations.find(access.owner, access.agent, id);
  if (!one || !(is_own(*one, user) || is_shared(*one, access))) return web::not_found("No such conversation");
  return one;
}

web::Answer list_messages(const Services& services, const Request& request, MessageQuery query) {
  const auto user = request.caller.user_id;
  const auto access = services.sharing.require(user, request.param("id"), Role::viewer);
  if (!access) co_return access.error();
  const auto one = readable(services, *access, user, query.conversationId);
  if (!one) co_return one.error();
  chat::Slice slice{.agent = access->agent, .conversation = one->id, .limit = default_messages};
  if (query.limit) slice.limit = std::size_t(query.limit->value);
  if (query.before) slice.before = std::move(*query.before);
  auto page = services.chat.history(access->owner, slice);
  if (!page) co_return page.error();
  if (!is_own(*one, user)) {
    // The owner shares what was said, not what the agent's tools have read.
    for (auto& message : *page) {
      message.steps.clear();
      message.files.clear();
    }
  }
  co_return web::reply(chat::view(std::move(*page)), 200);
}

web::Answer talk(const Services& services, const Request& request, TalkRequest body) {
  const auto user = request.caller.user_id;
  const auto access = services.sharing.require(user, request.param("id"), Role::talker);
  if (!access) co_return access.error();
  chat::Sender sender;
  if (body.conversationId) {
    const auto one = readable(services, *access, user, *body.conversationId);
    if (!one) co_return one.error();
    if (!is_own(*one, user)) co_return web::forbidden("This conversation is the owner's: you can only read it");
    sender = chat::Sender::continuing(one->id);
    sender.channel = chat::Channel::console;
  } else {
    // A new one.
    sender = chat::Sender::of_peer(chat::Channel::console, peer_name(user), user, crypto::random_id(16));
  }
  auto question = co_await services.chat.ask(access->owner, access->agent, std::move(body.message), std::move(sender));
  if (!question) co_return question.error();
  if (body.stream.value_or(false))
    co_return co_await chat::stream_answer(services.chat, std::move(*question), body.keep.value_or(false));
  auto answer = co_await services.chat.answer(std::move(*question));
  if (!answer) co_return answer.error();
  co_return web::reply(chat::view(std::move(*answer)), 200);
}

// The agent's owner, if the question is among the newest of a conversation of the person's own.
web::Result<store::UserId> owner_of_question(const Services& services, store::UserId user, std::string_view agent,
                                             const AnswerQuery& query) {
  const auto access = services.sharing.require(user, agent, Role::talker);
  if (!access) return access.error();
  const auto one = readable(services, *access, user, query.conversationId);
  if (!one) return one.error();
  if (!is_own(*one, user)) return web::forbidden("This conversation is the owner's: you can only read it");
  const chat::Slice slice{.agent = access->agent, .conversation = one->id, .limit = default_messages};
  const auto page = services.chat.history(access->owner, slice);
  if (!page) return page.error();
  const std::string& id = query.messageId;
  if (std::ranges::find(*page, id, &chat::Message::id) == page->end()) return web::not_found("No such message");
  return access->owner;
}

web::Answer follow_own_answer(const Services& services, const Request& request, AnswerQuery query) {
  const auto& agent = request.param("id");
  const auto owner = owner_of_question(services, request.caller.user_id, agent, query);
  if (!owner) co_return owner.error();
  co_return chat::follow_answer(services.chat.live_answer(*owner, agent, query.messageId));
}

web::Answer stop_own_answer(const Services& services, const Request& request, AnswerQuery query) {
  const auto owner = owner_of_question(services, request.caller.user_id, request.param("id"), query);
  if (!owner) co_return owner.error();
  const StoppedAnswers answer{.stopped = std::int64_t(services.chat.stop_answer(query.messageId))};
  co_return web::reply(answer, 200);
}

web::Answer remove_conversation(const Services& services, const Request& request) {
  const auto user = request.caller.user_id;
  const auto access = services.sharing.require(user, request.param("id"), Role::viewer);
  if (!access) co_return access.error();
  const auto one = readable(services, *access, user, request.param("conversation"));
  if (!one) co_return one.error();
  if (!is_own(*one, user)) co_return web::forbidden("This conversation is the owner's: you can only read it");
  const auto removed = co_await services.conversations.remove(access->owner, access->agent, one->id);
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

constexpr auto talking_text =
    "Without `conversationId` a new conversation begins. `stream` and `keep` as for POST /api/chat. 429 "
    "BUDGET_EXCEEDED once the person's limit for the month is used up.";

constexpr auto following_text =
    "As GET /api/chat/stream, of an answer to one of the newest questions in a conversation of the caller's own.";

constexpr auto stopping_text =
    "Only the answer to this question. What has arrived of it is stored, with `stopped`. Returns how many were "
    "stopped.";

}  // namespace

std::vector<web::Route> talk_rows(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/shared", session, &hosting::agents_rate, web::plain(on(list_shared)).returns<SharedAgents>(),
       "List the agents that are shared with the caller"},
      {web::GET, "/api/shared/:id", session, &hosting::agents_rate, web::plain(on(show_shared)).returns<SharedAgent>(),
       "Show a shared agent"},
      {web::GET, "/api/shared/:id/conversations", session, &hosting::agents_rate,
       web::plain(on(list_conversations))
           .returns<SharedConversations>()
           .describe("The caller's own, and those of the owner that are shared."),
       "List conversations with a shared agent"},
      {web::DELETE, "/api/shared/:id/conversations/:conversation", session, &hosting::agents_rate,
       web::plain(on(remove_conversation))
           .returns<web::Succeeded>()
           .fails({web::Kind::bad_gateway})
           .describe("One of the caller's own, also at the agent."),
       "Delete a conversation with a shared agent"},
      {web::GET, "/api/shared/:id/messages", session, &hosting::agents_rate,
       web::query<MessageQuery>(on(list_messages)).returns<chat::History>(), "List messages with a shared agent"},
      {web::POST, "/api/shared/:id/chat", session, &hosting::chat_rate,
       web::body<TalkRequest>(on(talk))
           .returns<chat::Sent>()
           .describe(talking_text)
           .fails({web::Kind::conflict, web::Kind::bad_gateway, web::Kind::timeout}),
       "Talk to a shared agent"},
      {web::GET, "/api/shared/:id/chat/stream", session, &hosting::agents_rate,
       web::query<AnswerQuery>(on(follow_own_answer)).describe(following_text),
       "Follow an answer of a shared agent that is on its way"},
      {web::POST, "/api/shared/:id/chat/stop", session, &hosting::chat_rate,
       web::body<AnswerQuery>(on(stop_own_answer)).returns<StoppedAnswers>().describe(stopping_text),
       "Stop an answer of a shared agent"},
  };
}

}  // namespace sharing
