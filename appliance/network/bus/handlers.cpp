#include "appliance/network/bus/handlers.h"

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

}  // namespace

web::Answer send_message(const Services& services, const Request&, boost::json::object body) {
  auto message = verified(services.system, services.keys, body, store::now());
  if (!message) co_return message.error();
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
  co_return web::reply(answer_of<UnreadAnswer>(std::move(found)), 200);
}

web::Answer mark_read(const Services& services, const Request& request, ReadRequest body) {
  std::vector<std::int64_t> numbers(body.ids.begin(), body.ids.end());
  const auto marked =
      co_await services.mailbox.mark_read(request.caller.user_id, request.caller.agent, std::move(numbers));
  const ReadAnswer answer{.marked = marked};
  co_return web::reply(answer, 200);
}

}  // namespace bus
