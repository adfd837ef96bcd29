// Conversations with agents: the message is stored and sent to the agent's gateway, and its answer is stored.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/spans/recorder.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/conversations.h"
#include "appliance/hosting/chat/gateway_stream.h"
#include "appliance/hosting/chat/live_answers.h"
#include "appliance/hosting/chat/pending.h"
#include "appliance/hosting/chat/records.h"

namespace chat {

struct Answer {
  Message message;
  std::string model;
  boost::json::object usage;  // as the gateway reports it

  // By a stop of the box.
  bool is_cut_off() const { return message.is_stopped && !message.failure.empty(); }
};

// Who asks an agent, and in which conversation. A peer is everybody but the agent's owner (agent_process::Audience).
struct Sender {
  // The owner, in the conversation that is current. Constructors, since g++ 12 copies an aggregate in the operand of a
  // co_await by its bytes.
  Sender() = default;
  // The owner, in this conversation; not_found when there is none, conflict when it is a peer's.
  static Sender in(std::string conversation) {
    Sender sender;
    sender.conversation = std::move(conversation);
    return sender;
  }
  // What the owner has set up: a conversation for each topic.
  static Sender of_owner(Channel channel, std::string topic) {
    Sender sender;
    sender.channel = channel;
    sender.topic = std::move(topic);
    return sender;
  }
  // `peer` is a name that stays the same, such as "agent:ag_1"; `user` who it is or belongs to, if known.
  // Of a peer with an agent: further ones are refused.
  static constexpr std::size_t max_conversations_of_peer = 100;
  static Sender of_peer(Channel channel, std::string peer, std::optional<store::UserId> user, std::string topic = {}) {
    auto sender = of_owner(channel, std::move(topic));
    sender.peer = std::move(peer);
    sender.user = user;
    return sender;
  }
  static constexpr std::string_view public_prefix = "public:";
  // A caller whom neither the box nor the owner knows. The names differ from those of peers: once the owner admits the
  // caller, nothing of these conversations is continued.
  static Sender of_public(Channel channel, const std::string& caller, std::string topic = {}) {
    return of_peer(channel, std::string(public_prefix) + caller, std::nullopt, std::move(topic));
  }
  // In a conversation of owner or peer that exists: the box itself, when a turn that waited goes on, or a peer whose
  // conversation it is, which the caller has checked.
  static Sender continuing(std::string conversation) {
    auto sender = in(std::move(conversation));
    sender.is_continuation = true;
    return sender;
  }
  bool is_peer() const { return !peer.empty(); }
  Audience audience() const {
    if (!is_peer()) return Audience::owner;
    return peer.starts_with(public_prefix) ? Audience::anyone : Audience::peer;
  }

  Channel channel = Channel::api;
  std::string peer, topic, conversation;
  std::string title;               // of a conversation that begins; empty: how its first message begins
  std::string model, effort;       // of this message; empty: the conversation's, else the agent's
  std::vector<std::string> files;  // of the workspace, attached to the message
  bool is_unguarded = false;       // the owner allows what the agent's guard would stop
  std::optional<store::UserId> user;
  bool is_continuation = false;
};

// A message that is stored but not yet sent to the agent.
struct Question {
  Message message;
  std::shared_ptr<Pending::Entry> entry;
  Conversation conversation;
  Channel channel = Channel::api;  // that it came through, which may be another than its conversation's
  std::string model, effort;
  bool is_unguarded = false, wants_title = false;
  std::vector<Message> earlier = {};  // the agent begins the conversation from these
};

struct Slice {
  std::string agent;
  std::string conversation{};  // empty: all of the agent's
  std::size_t limit = 50;
  std::string before;  // id of a message; empty: the newest
};

// What takes note of exchanges. Each may be empty.
struct ExchangeHooks {
  spans::Recorder* spans = nullptr;  // gets a span of each
  // Is called when an exchange is sent to its agent; the exchange keeps what it returns until it ends.
  std::function<std::shared_ptr<void>(const Conversation&)> begin_turn = {};
  // Whether this agent's program keeps no conversations, so that each message is sent with those before it.
  std::function<bool(const agents::Agent&)> wants_history = {};
};

class Chat {
 public:
  // The timeout is that of a whole exchange, somewhat longer than an agent takes at most (agent_process::LoopOptions).
  // `writes_titles`: whether models write the titles of the owners' conversations, unless an agent's config says
  // otherwise.
  Chat(store::System, const agents::AgentDirectory&, ExchangeHooks, bool writes_titles,
       std::chrono::seconds gateway_timeout = std::chrono::seconds(1'260));

  // The message begins its conversation if that does not exist. not_found; conflict when the agent is not running;
  // bad_gateway or timeout with the cause when its gateway fails: the message is then stored as failed. An agent that
  // is starting gets the message once it runs. The exchange completes even if the client disconnects; the answer is
  // then in the history.
  web::Task<web::Result<Answer>> send(store::UserId, std::string agent, std::string text, Sender = {});
  // The same in two steps. The first one returns the errors that are known before the message is sent.
  web::Task<web::Result<Question>> ask(store::UserId, std::string agent, std::string text, Sender = {});
  web::Task<web::Result<Answer>> answer(Question, Listener = {});
  // The answer to this question, while it is on its way. Nothing: it has ended, or the agent is not the user's.
  std::shared_ptr<const LiveAnswer> live_answer(store::UserId, const std::string& agent,
                                                const std::string& question) const;
  // Stores a text of the agent that answers no message of its owner. not_found when the agent is not the user's.
  web::Task<web::Result<Message>> post(store::UserId, std::string agent, std::string text);
  // Stops the exchanges in progress with an agent; what has arrived of their answers is stored. Returns their number.
  // not_found when the agent is not the caller's.
  web::Result<std::size_t> stop(store::UserId, const std::string& agent) const;
  // Only the answer to this question; how many that were.
  std::size_t stop_answer(const std::string& question) const { return pending_.stop(question); }
  // The box stops. Waits up to `grace` for the exchanges in progress, then stops the others: what has arrived of their
  // answers is stored with the reason.
  web::Task<> stop_all(std::chrono::milliseconds grace);
  // Oldest first. not_found when the agent is not the caller's. Messages whose exchange was interrupted by a stop of
  // the box are `failed`.
  web::Result<std::vector<Message>> history(store::UserId, const Slice&) const;
  // Deletes all messages of an agent; for Events::agent_removed.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  web::Task<> commit(store::Change&);
  // Stores a message, and that its conversation has a new one.
  web::Task<web::Result<Conversation>> store_message(Message&, const Sender&);
  bool awaits_title(const Message&, const Conversation&) const;
  std::vector<Message> messages_before(const Question&) const;
  web::Task<> end_beginning(const Conversation&);
  web::Result<Conversation> conversation_for(const Message&, const Sender&) const;
  std::vector<Message> read_messages(const store::Tenant&, const Slice&) const;
  std::vector<Message> read_conversation(const store::Tenant&, const Slice&) const;
  web::Task<web::Result<Completion>> complete(const Question&, Listener);
  web::Task<web::Result<Completion>> complete_within(const Question&, Listener, spans::TraceContext);
  // What had arrived of an answer that failed.
  web::Task<> store_partial(const Question&, const LiveAnswer&, std::string reason);
  web::Result<Completion> stopped(GatewayStream&) const;
  spans::Running begin_span(const Message& question) const;
  Message with_current_delivery(const store::Tenant&, Message) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  std::chrono::seconds gateway_timeout_;
  Pending pending_;
  LiveAnswers live_answers_;
  std::atomic<bool> is_shutting_down_ = false;
  const ExchangeHooks hooks_;
  const bool writes_titles_;
};

}  // namespace chat
