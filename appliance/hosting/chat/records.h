// Conversations with agents, and their messages.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/table.h"

namespace chat {

BOOST_DEFINE_ENUM_CLASS(Role, user, assistant)
// A user's message is `sent` while the box waits for the answer. Messages left `sent` by a stop of the box are reported
// as `failed` by Chat::history.
BOOST_DEFINE_ENUM_CLASS(Delivery, sent, answered, failed)

BOOST_DEFINE_ENUM_CLASS(Channel, console, api, a2a, bus, mail, schedule, swarm, skill, telegram, webhook, slack,
                        discord, whatsapp, matrix, xmpp, irc)
// For whom an agent answers in a conversation: its owner; another user, who gets nothing of the owner's; or a caller
// whom neither the box nor the owner knows ("public"), for whom the agent also has no memory and no files.
enum class Audience { owner, peer, anyone };
// Described by hand, because a keyword cannot name an enumerator.
template <Audience Which>
struct NamedAudience {
  static constexpr auto value() noexcept { return Which; }
  static constexpr auto name() noexcept {
    return Which == Audience::owner ? "owner" : Which == Audience::peer ? "peer" : "public";
  }
};
inline auto boost_enum_descriptor_fn(Audience**) {
  return boost::describe::detail::enum_descriptor_fn_impl(
      0, NamedAudience<Audience::owner>(), NamedAudience<Audience::peer>(), NamedAudience<Audience::anyone>());
}

struct Conversation {
  std::int64_t owner = 0;  // the agent's
  // "c_" and 24 characters: random, or derived from agent, channel, peer and topic (conversation_id).
  std::string id;
  std::string agent;
  Channel channel = Channel::console;
  Audience audience = Audience::owner;
  std::string peer;                       // of a peer's: "user:7", "agent:ag_1", "mail:ada@example.org"
  std::optional<std::int64_t> peer_user;  // the user who is or owns the peer, if it is one of the box
  std::string title;                      // empty: nothing has been said yet
  bool is_archived = false, is_pinned = false;
  store::Time created_at, last_at;
  std::string folder;                   // a name that the owner has chosen; empty: none
  bool awaits_title = false;            // the agent's model writes one
  std::string branch_of = {};           // the conversation that it continues from an earlier message
  bool begins_from_messages = false;    // the agent has not been told its messages yet
  std::string model = {}, effort = {};  // of its turns; empty: the agent's own
};
BOOST_DESCRIBE_STRUCT(Conversation, (),
                      (owner, id, agent, channel, audience, peer, peer_user, title, is_archived, is_pinned, created_at,
                       last_at, folder, awaits_title, branch_of, begins_from_messages, model, effort))

// The newest of an agent come first.
inline const store::Owned<Conversation> conversations{
    {.family = "conversations", .number = 185},
    &Conversation::owner,
    &Conversation::id,
    {{1, "agent", false, false,
      [](const Conversation& one) {
        return std::optional(one.agent + "/" + store::ordered_bytes(-one.last_at.time_since_epoch().count()));
      }},
     store::index<Conversation>(2, "peer_user", &Conversation::peer_user)}};

// A tool that the agent called on its way to an answer.
struct AnswerStep {
  std::string id, name;
  std::string arguments;              // JSON as text, at most 4 KB
  std::optional<std::string> result;  // likewise; nothing: the answer ended before it
  std::optional<bool> failed;
  std::int64_t duration_ms = 0;
};
BOOST_DESCRIBE_STRUCT(AnswerStep, (), (id, name, arguments, result, failed, duration_ms))

struct Message {
  std::int64_t owner = 0;
  // <agent id>.<milliseconds since the epoch, 13 digits><8 random characters>: one agent's messages are adjacent in
  // key order, oldest first.
  std::string id;
  std::string agent;
  Role role = Role::user;
  std::string content;
  std::string model;  // assistant: the model that answered
  Delivery delivery = Delivery::sent;
  std::string failure;      // failed, or stopped by the box: why, in a sentence
  bool is_stopped = false;  // assistant: the answer was stopped; content is what had arrived
  store::Time created_at;
  std::string conversation;             // empty: the owner's first one (messages of earlier versions)
  std::vector<AnswerStep> steps;        // assistant: at most 60
  std::vector<std::string> files = {};  // user: of the workspace, attached to the message
  std::string guard = {};  // assistant: why the agent's guard stopped the turn (agent_process::GuardStop::code)
  std::int64_t input_tokens = 0, output_tokens = 0;  // assistant: of all model calls of the turn; 0: not reported
};
BOOST_DESCRIBE_STRUCT(Message, (),
                      (owner, id, agent, role, content, model, delivery, failure, is_stopped, created_at, conversation,
                       steps, files, guard, input_tokens, output_tokens))

// The newest of a conversation come first.
inline std::string message_key(std::string_view conversation, std::string_view id) {
  auto key = std::string(conversation) + "/";
  for (const auto c : id) key += static_cast<char>(~static_cast<unsigned char>(c));
  return key;
}

inline const store::Owned<Message> messages{
    {.family = "messages", .number = 32},
    &Message::owner,
    &Message::id,
    {{1, "conversation", false, false, [](const Message& message) {
        return message.conversation.empty() ? std::nullopt
                                            : std::optional(message_key(message.conversation, message.id));
      }}}};

}  // namespace chat
