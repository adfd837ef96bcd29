#include "appliance/network/bus/handlers.h"

#include "appliance/foundation/timestamp.h"
#include "appliance/network/bus/descriptions.h"
#include "appliance/network/bus/participant.h"
#include "appliance/runtime/bus_identity.h"
#include "web/json.h"
#include "web/routes/reply.h"

namespace bus {

namespace {

using web::Request;

constexpr std::size_t messages_listed = 50, letters_listed = 100, unread_listed = 20;

MessageView view_of(Message message) {
  return {.id = message.number,
          .messageId = std::move(message.message_id),
          .from = std::move(message.from),
          .to = std::move(message.to),
          .action = std::move(message.action),
          .payload = std::move(message.payload),
          .context = std::move(message.context),
          .timestamp = message.sent_at,
          .acceptedAt = message.accepted_at,
          .read = !message.unread};
}

template <class Answer>
Answer answer_of(std::vector<Message> messages) {
  Answer answer;
  for (auto& message : messages) answer.messages.push_back(view_of(std::move(message)));
  answer.count = std::int64_t(answer.messages.size());
  return answer;
}

DeadLetterView view_of(DeadLetter letter) {
  return {.id = std::move(letter.id),
          .channel = letter.channel,
          .from = std::move(letter.from),
          .agentId = std::move(letter.to),
          .action = std::move(letter.action),
          .attempts = letter.attempts,
          .error = std::move(letter.problem),
          .createdAt = letter.created_at,
          .diedAt = letter.died_at};
}

// What an agent sends with the key of its own program, for others than agents of its owner. Messages that the owner's
// programs sign with a registered key are theirs.
std::optional<gate::Act> act_of(const store::System& system, const Outgoing& message, const boost::json::object& body) {
  const auto* key = body.if_contains("keyId");
  if (!key || !key->is_string() || key->get_string() != runtime::own_bus_key_id) return std::nullopt;
  const auto sender = find_participant(system, message.from);
  if (!sender) return std::nullopt;
  if (!message.to.empty() && find_participant(system, sender->value.owner, message.to)) return std::nullopt;
  gate::Act act{.owner = sender->value.owner, .agent = message.from, .kind = gate_kind};
  act.target = message.to.empty() ? message.action : message.to;
  act.title = "Send the message " + message.action + (message.to.empty() ? "" : " to the agent " + message.to);
  act.key = message.from + "/" + message.message_id;
  act.reason = web::string_member(body, "why");
  act.act = {{"messageId", message.message_id},
             {"to", message.to},
             {"action", message.action},
             {"payload", message.payload},
             {"timestamp", web::iso8601(message.sent_at)}};
  return act;
}

web::Answer send_message(const Services& services, const Request&, boost::json::object body) {
  auto message = verified(services.system, services.keys, body, store::now());
  if (!message) co_return message.error();
  if (auto act = act_of(services.system, *message, body)) {
    const auto verdict = co_await services.gate.check(std::move(*act));
    if (auto stopped = gate::answer_to_agent(verdict)) co_return std::move(*stopped);
  }
  boost::json::object answer{{"success", true}, {"messageId", message->message_id}};
  const auto accepted = co_await services.bus.send(std::move(*message));
  if (!accepted) co_return accepted.error();
  for (const auto& [name, value] : *accepted) answer[name] = value;
  co_return web::json(answer);
}

web::Answer list_messages(const Services& services, const Request& request, MailboxQuery query) {
  const Mailbox::Slice slice{.limit = query.limit ? std::size_t(query.limit->value) : messages_listed,
                             .before = query.before ? query.before->value : 0};
  auto found = services.mailbox.list(request.caller.user_id, query.agentId, slice);
  if (!found) co_return found.error();
  co_return web::reply(answer_of<MailboxAnswer>(std::move(*found)), 200);
}

web::Answer list_dead_letters(const Services& services, const Request& request, DeadLetterQuery query) {
  const auto limit = query.limit ? std::size_t(query.limit->value) : letters_listed;
  std::string before = query.before ? std::string(*query.before) : std::string();
  DeadLetterList answer;
  for (auto& letter : services.mailbox.dead_letters(request.caller.user_id, std::move(before), limit))
    answer.deadLetters.push_back(view_of(std::move(letter)));
  answer.count = std::int64_t(answer.deadLetters.size());
  co_return web::reply(answer, 200);
}

web::Answer replay_dead_letter(const Services& services, const Request& request) {
  const DeadLetterAnswer answer{.id = request.param("id")};
  const auto replayed = co_await services.mailbox.replay(request.caller.user_id, answer.id);
  if (!replayed) co_return replayed.error();
  co_return web::reply(answer, 202);
}

web::Answer drop_dead_letter(const Services& services, const Request& request) {
  const DeadLetterAnswer answer{.id = request.param("id")};
  const auto dropped = co_await services.mailbox.drop(request.caller.user_id, answer.id);
  if (!dropped) co_return dropped.error();
  co_return web::reply(answer, 200);
}

web::Answer list_unread(const Services& services, const Request& request, UnreadQuery query) {
  const auto limit = query.limit ? std::size_t(query.limit->value) : unread_listed;
  auto found = services.mailbox.unread(request.caller.user_id, request.caller.agent, limit);
  if (!found.empty()) services.gate.turns().taint(request.caller.agent, "a message of another agent");
  co_return web::reply(answer_of<UnreadAnswer>(std::move(found)), 200);
}

web::Answer mark_read(const Services& services, const Request& request, ReadRequest body) {
  std::vector<std::int64_t> numbers(body.ids.begin(), body.ids.end());
  const auto marked =
      co_await services.mailbox.mark_read(request.caller.user_id, request.caller.agent, std::move(numbers));
  const ReadAnswer answer{.marked = marked};
  co_return web::reply(answer, 200);
}

const web::RateLimit mailbox_rate{.group = "bus-mailbox", .limit = 100};

// The signature covers members that the described struct does not name, so the handler gets the whole object.
web::Endpoint signed_message(web::Endpoint endpoint) {
  endpoint.body = web::schema_of<SendRequest>;
  return endpoint;
}

}  // namespace

gate::Executor gate_executor(Bus& bus) {
  gate::Executor executor;
  executor.is_repeatable = true;  // its id counts once
  executor.run = [&bus](gate::Ask ask) -> web::Task<web::Result<boost::json::object>> {
    Outgoing message;
    message.message_id = web::string_member(ask.act, "messageId");
    message.from = ask.agent;
    message.to = web::string_member(ask.act, "to");
    message.action = web::string_member(ask.act, "action");
    message.payload = ask.act.at("payload").as_object();
    message.sent_at = agentbox::parse_timestamp(web::string_member(ask.act, "timestamp")).value_or(ask.created_at);
    boost::json::object result{{"success", true}, {"messageId", message.message_id}};
    auto accepted = co_await bus.send(std::move(message));
    if (!accepted) co_return accepted.error();
    for (const auto& [name, value] : *accepted) result[name] = value;
    co_return result;
  };
  return executor;
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/underground/messages", session, &mailbox_rate,
       web::query<MailboxQuery>(on(list_messages)).returns<MailboxAnswer>().describe(descriptions::mailbox),
       "Messages that came to one of the caller's agents, newest first"},
      {web::GET, "/api/underground/dead-letters", session, &mailbox_rate,
       web::query<DeadLetterQuery>(on(list_dead_letters))
           .returns<DeadLetterList>()
           .describe(descriptions::dead_letters),
       "Messages that could not be delivered to the caller's agents"},
      {web::POST, "/api/underground/dead-letters/:id/replay", session, &mailbox_rate,
       web::plain(on(replay_dead_letter)).returns<DeadLetterAnswer>(202).describe(descriptions::replay),
       "Deliver a dead letter again"},
      {web::DELETE, "/api/underground/dead-letters/:id", session, &mailbox_rate,
       web::plain(on(drop_dead_letter)).returns<DeadLetterAnswer>().describe(descriptions::drop), "Drop a dead letter"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, send_path, guards.none, nullptr,
       signed_message(web::body<boost::json::object>(on(send_message)))
           .returns<SendAnswer>()
           .fails({web::Kind::unauthenticated, web::Kind::not_found, web::Kind::conflict, web::Kind::too_many})
           .describe(descriptions::send),
       "Send a signed message from one agent to another"},
      {web::GET, "/api/agent-messages", guards.agent_token, nullptr,
       web::query<UnreadQuery>(on(list_unread)).returns<UnreadAnswer>().describe(descriptions::unread),
       "Messages that the calling agent has not read, oldest first"},
      {web::POST, "/api/agent-messages/read", guards.agent_token, nullptr,
       web::body<ReadRequest>(on(mark_read)).returns<ReadAnswer>(), "Mark messages of the calling agent as read"},
  };
}

}  // namespace bus
