// Messages in answers of routes.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/chat/search.h"

namespace chat {

struct StepItem {
  std::string id, name, arguments;
  std::optional<std::string> result;  // none: the answer ended before it
  std::optional<bool> failed;
  std::optional<std::int64_t> durationMs;
};
BOOST_DESCRIBE_STRUCT(StepItem, (), (id, name, arguments, result, failed, durationMs))

struct MessageItem {
  std::string id;
  Role role;
  std::string content;
  store::Time createdAt;
  // Only for messages of the user.
  std::optional<Delivery> delivery;
  std::optional<std::string> error;
  // Only for answers: the model, and whether the answer was stopped before its end.
  std::optional<std::string> model;
  std::optional<bool> stopped;
  std::string conversationId;
  std::optional<std::vector<StepItem>> steps;     // only for answers of an agent that used tools
  std::optional<std::vector<std::string>> files;  // attached to a message of the user
  // Only for answers: same_calls, no_progress or spend_rate, when the agent's guard stopped the turn.
  std::optional<std::string> guard;
  // Only for answers whose agent reported them: of all model calls of the turn.
  std::optional<std::int64_t> inputTokens, outputTokens;
};
BOOST_DESCRIBE_STRUCT(MessageItem, (),
                      (id, role, content, createdAt, delivery, error, model, stopped, conversationId, steps, files,
                       guard, inputTokens, outputTokens))

struct ConversationItem {
  std::string id;
  Channel channel = Channel::console;
  Audience audience = Audience::owner;
  std::optional<std::string> peer;  // of a peer's
  std::string title;                // empty: nothing has been said yet
  bool archived = false, pinned = false;
  store::Time createdAt, lastMessageAt;
  std::string folder;                                 // empty: none
  std::optional<std::string> branchOf;                // the conversation from which it branched
  std::optional<std::string> model, reasoningEffort;  // of its turns, if they are not the agent's own
};
BOOST_DESCRIBE_STRUCT(ConversationItem, (),
                      (id, channel, audience, peer, title, archived, pinned, createdAt, lastMessageAt, folder, branchOf,
                       model, reasoningEffort))

struct ConversationAnswer {
  bool success = true;
  ConversationItem conversation;
};
BOOST_DESCRIBE_STRUCT(ConversationAnswer, (), (success, conversation))

struct ConversationList {
  std::vector<ConversationItem> conversations;
  std::int64_t count = 0;
  std::string current;  // the one that a message without a conversation continues
};
BOOST_DESCRIBE_STRUCT(ConversationList, (), (conversations, count, current))

struct EffectItem {
  std::string tool;
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(EffectItem, (), (tool, at))

struct RewindAnswer {
  bool success = true, preview = false;
  std::vector<std::string> files;  // that change, at most 1,000
  std::int64_t turns = 0;          // of the agent, in all of the owner's conversations
  std::int64_t messages = 0;       // of this conversation
  std::vector<EffectItem> notUndone;
};
BOOST_DESCRIBE_STRUCT(RewindAnswer, (), (success, preview, files, turns, messages, notUndone))

// A conversation with one of the user's agents, with its newest message that matters: the last one, or the one that a
// search has found.
struct ConversationOverview {
  std::string agentId;
  ConversationItem conversation;
  std::string text;  // of that message, at most 280 bytes; empty: nothing has been said
  std::string messageId;
};
BOOST_DESCRIBE_STRUCT(ConversationOverview, (), (agentId, conversation, text, messageId))

struct ConversationOverviews {
  std::vector<ConversationOverview> conversations;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(ConversationOverviews, (), (conversations, count))

struct Stopped {
  bool success = true;
  std::int64_t stopped = 0;  // exchanges
};
BOOST_DESCRIBE_STRUCT(Stopped, (), (success, stopped))

struct Sent {
  bool success = true;
  MessageItem message;
  std::string model;
  boost::json::object usage;
};
BOOST_DESCRIBE_STRUCT(Sent, (), (success, message, model, usage))

struct History {
  std::vector<MessageItem> messages;
  std::int64_t count = 0;
  std::optional<std::string> next;  // of a search that has not looked through everything
};
BOOST_DESCRIBE_STRUCT(History, (), (messages, count, next))

Sent view(Answer);
ConversationItem view(Conversation);
History view(std::vector<Message>);
History view(Found);

}  // namespace chat
