// Conversations with agents: the message is stored and sent to the agent's gateway, and its answer is stored.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/spans/recorder.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/gateway_stream.h"
#include "appliance/hosting/chat/pending.h"
#include "appliance/hosting/chat/records.h"

namespace chat {

struct Answer {
  Message message;
  std::string model;
  boost::json::object usage;  // as the gateway reports it
};

// A message that is stored but not yet sent to the agent.
struct Question {
  Message message;
  std::shared_ptr<Pending::Entry> entry;
};

struct Slice {
  std::string agent;
  std::size_t limit = 50;
  std::string before;  // id of a message; empty: the newest
};

class Chat {
 public:
  // The timeout is that of a whole exchange, somewhat longer than an agent takes at most (agent_process::LoopOptions).
  Chat(store::System, const agents::AgentDirectory&,
       std::chrono::seconds gateway_timeout = std::chrono::seconds(1'260));

  // Records a span of each exchange. Before the first one.
  void record_spans_with(spans::Recorder& recorder) { spans_ = &recorder; }

  // not_found; conflict when the agent is not running; bad_gateway or timeout with the cause when its gateway fails:
  // the message is then stored as failed. An agent that is starting gets the message once it runs. The exchange
  // completes even if the client disconnects; the answer is then in the history.
  web::Task<web::Result<Answer>> send(store::UserId, std::string agent, std::string text);
  // The same in two steps. The first one returns the errors that are known before the message is sent.
  web::Task<web::Result<Question>> ask(store::UserId, std::string agent, std::string text);
  web::Task<web::Result<Answer>> answer(Question, Listener = {});
  // Stops the exchanges in progress with an agent; what has arrived of their answers is stored. Returns their number.
  // not_found when the agent is not the caller's.
  web::Result<std::size_t> stop(store::UserId, const std::string& agent) const;
  // Oldest first. not_found when the agent is not the caller's. Messages whose exchange was interrupted by a stop of
  // the box are `failed`.
  web::Result<std::vector<Message>> history(store::UserId, const Slice&) const;
  // Deletes all messages of an agent; for agents::Agents::when_removed.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  web::Task<> commit(store::Change&);
  web::Task<web::Result<Completion>> complete(const Question&, Listener);
  web::Task<web::Result<Completion>> complete_within(const Question&, Listener, spans::TraceContext);
  spans::Running begin_span(const Message& question) const;
  Message with_current_delivery(const store::Tenant&, Message) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  std::chrono::seconds gateway_timeout_;
  Pending pending_;
  spans::Recorder* spans_ = nullptr;
};

}  // namespace chat
