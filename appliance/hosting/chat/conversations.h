// The conversations of an owner's agents: listing, renaming, deleting. Chat makes those that messages begin.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/json/object.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace chat {

// The id of the conversation about this topic; what has the same channel, peer and topic continues it.
std::string conversation_id(std::string_view agent, Channel, std::string_view peer, std::string_view topic);
// Who waits for an answer to a message that comes this way: a models::WaitClass by name.
std::string_view wait_class_of(Channel);
// The owner's first conversation, which messages without a conversation belong to.
std::string first_conversation_id(std::string_view agent);
// Of a message.
std::string conversation_of(const Message&);
// What an agent's program calls conversations and peers (runtime::conversation_header and peer_header); the first
// conversation has no name there.
std::string name_at_agent(const Conversation&);
std::string peer_name_at_agent(std::string_view peer);

// The owner's conversation that messages without a conversation continue: the newest one of the console and the API
// that is not archived.
Conversation current_conversation(const store::System&, store::UserId owner, const std::string& agent);
// Newest first; at most `limit`.
std::vector<Conversation> conversations_of(const store::System&, const std::string& agent, std::size_t limit);

struct ConversationEdit {
  std::optional<std::string> title;
  std::optional<bool> is_archived, is_pinned;
  std::optional<std::string> folder;         // empty: none
  std::optional<std::string> model, effort;  // empty: the agent's own
};

// A call of a tool that reached others.
struct Effect {
  std::string tool;
  store::Time at;
};

// What going back has undone, and what it could not undo.
struct Undone {
  std::vector<std::string> files;
  std::int64_t turns = 0, messages = 0;
  std::vector<Effect> effects;
};

// Callable from every thread.
class Conversations {
 public:
  static constexpr std::size_t max_listed = 1'000;

  // `folder` has a folder for each agent, with its workspace. All references must outlive it.
  Conversations(store::System, const agents::AgentDirectory&, std::filesystem::path folder,
                boost::asio::thread_pool& blocking);

  // Pinned ones first, then by their newest message. not_found when the agent is not the user's.
  web::Result<std::vector<Conversation>> list(store::UserId, const std::string& agent) const;
  // Those of all agents of the user, likewise; at most `limit`.
  std::vector<Conversation> list_all(store::UserId, std::size_t limit) const;
  Conversation current(store::UserId user, const std::string& agent) const {
    return current_conversation(system_, user, agent);
  }
  // not_found: also a conversation of another agent.
  web::Result<Conversation> find(store::UserId, const std::string& agent, const std::string& id) const;
  // Makes the owner's newest one, which messages without a conversation then continue.
  web::Task<web::Result<Conversation>> create(store::UserId, std::string agent, std::string title);
  // The title that the agent's model has written, unless the owner has given one meanwhile. An empty `name`: the first
  // conversation. not_found.
  web::Task<web::Result<Conversation>> set_title(store::UserId, std::string agent, std::string name, std::string title);
  web::Task<web::Result<Conversation>> edit(store::UserId, std::string agent, std::string id, ConversationEdit);
  // A new conversation with copies of the messages before one of the owner's (the newest 500), which the agent gets
  // with its next message: the origin stays as it is. invalid for a message of another conversation.
  web::Task<web::Result<Conversation>> branch(store::UserId, std::string agent, std::string id, std::string before);
  // Makes files and memory of the agent, and the conversation, what they were before this message of the owner; with
  // `preview` only says what that would undo. conflict when the agent is not running, is a program that cannot go back,
  // or when the conversation is a peer's; not_found also when the agent keeps no point for the message.
  web::Task<web::Result<Undone>> rewind(store::UserId, std::string agent, std::string message, bool preview);
  // Lets the agent write down the point before this message of the owner; returns its name for take_fork. Errors as of
  // rewind.
  web::Task<web::Result<std::string>> write_fork(store::UserId, std::string agent, std::string message);
  // Makes the point the workspace of `clone`, which has none yet, and its messages those of the clone's first
  // conversation.
  web::Task<web::Result<void>> take_fork(agents::Agent clone, std::string parent, std::string message,
                                         std::string name);
  // invalid, naming the first of these paths that is no file of the agent's workspace. Blocks.
  web::Result<void> check_files(const std::string& agent, const std::vector<std::string>& paths) const;
  // With its messages, and with history and files at the agent; the memory that the agent has for a peer goes with the
  // peer's last conversation. bad_gateway when a running agent does not remove its part: then nothing is removed.
  web::Task<web::Result<Conversation>> remove(store::UserId, std::string agent, std::string id);
  // What this user and the user's agents said to agents of others. Agents that do not answer keep their part until the
  // owner deletes the conversation.
  web::Task<> forget_peer(store::UserId);
  // All conversations of an agent that is removed; Chat::forget removes the messages.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  web::Task<web::Result<void>> remove_at_agent(agents::Agent, const Conversation&);
  web::Task<> erase(Conversation);
  web::Task<web::Result<boost::json::object>> ask_gateway(store::UserId, std::string agent, std::string path,
                                                          boost::json::object body) const;
  web::Result<Message> message_of_owner(store::UserId, const std::string& agent, const std::string& id) const;
  web::Task<std::int64_t> remove_messages_since(Message first, bool preview);

  store::System system_;
  const agents::AgentDirectory& agents_;
  const std::filesystem::path folder_;
  boost::asio::thread_pool& blocking_;
};

}  // namespace chat
