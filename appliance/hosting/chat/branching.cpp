// Branches of conversations: a new one with the messages before one of the owner's, in whose place another one comes.
#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/chat/chat.h"
#include "store/transact.h"

namespace chat {
namespace {

using web::Result;
using web::Task;

constexpr std::size_t max_branch_messages = 500;

// Newest first; at most `limit`.
std::vector<Message> messages_before_in(const store::System& system, const std::string& conversation,
                                        const std::string& message, std::size_t limit) {
  auto end = conversation + "/";
  ++end.back();
  return system.find_range(messages, "conversation", message_key(conversation, message) + '\0', end, limit);
}

}  // namespace

Task<Result<Conversation>> Conversations::branch(store::UserId user, std::string agent, std::string id,
                                                 std::string before) {
  auto origin = find(user, agent, id);
  if (!origin) co_return origin;
  const auto message = message_of_owner(user, agent, before);
  if (!message) co_return message.error();
  if (conversation_of(*message) != id) co_return web::invalid("before must be a message of this conversation");
  auto earlier = messages_before_in(system_, id, before, max_branch_messages);
  const auto now = store::now();
  Conversation made = *origin;
  made.id = "c_" + crypto::random_id(24);
  made.channel = Channel::console;
  made.created_at = made.last_at = now;
  made.is_archived = made.is_pinned = made.awaits_title = false;
  made.branch_of = id;
  made.begins_from_messages = !earlier.empty();
  auto change = system_.tenant(user).change();
  change.insert(conversations, made);
  std::ranges::reverse(earlier);
  for (auto& copy : earlier) {
    copy.id = copy.id.substr(0, copy.id.size() - 8) + crypto::random_id(8);
    copy.conversation = made.id;
    change.insert(messages, copy);
  }
  co_await change.commit();
  co_return made;
}

// Of a branch, oldest first, but for messages without an answer.
std::vector<Message> Chat::messages_before(const Question& question) const {
  auto found = messages_before_in(system_, question.conversation.id, question.message.id, max_branch_messages);
  std::ranges::reverse(found);
  std::erase_if(found, [](const Message& one) { return one.role == Role::user && one.delivery != Delivery::answered; });
  return found;
}

// The agent knows the messages that a branch began from.
Task<> Chat::end_beginning(const Conversation& conversation) {
  auto mark = [](Conversation& one) { one.begins_from_messages = false; };
  co_await system_.tenant(conversation.owner).modify(conversations, conversation.id, std::move(mark));
}

// Of conversations that the owner begins; `titles` in the agent's config decides, if it is there.
bool Chat::awaits_title(const Message& message, const Conversation& one) const {
  const bool is_owners =
      one.audience == Audience::owner && (one.channel == Channel::console || one.channel == Channel::api);
  if (!is_owners) return false;
  const auto agent = agents_.find(message.owner, message.agent);
  const auto* titles = agent ? agent->config.if_contains("titles") : nullptr;
  return titles && titles->is_bool() ? titles->get_bool() : writes_titles_;
}

}  // namespace chat
