// Talking to an agent: the message is stored, handed to the agent's gateway, and the answer stored.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/chat/gateway_stream.h"
#include "appliance/hosting/chat/pending.h"
#include "appliance/hosting/chat/records.h"
#include "appliance/identity/guards.h"

namespace chat {

struct Answer {
  Message message;
  std::string model;
  boost::json::object usage;  // as the gateway reports it
};

// A message that is stored and not yet handed over.
struct Asked {
  Message question;
  std::shared_ptr<Pending::Place> place;
};

// Gets the pieces of an answer as they come.
using Listener = std::function<void(std::string_view piece)>;

struct Slice {
  std::string agent;
  std::size_t limit = 50;
  std::string before;  // id of a message; empty: the newest
};

class Chat {
 public:
  Chat(store::System, agents::Agents&, std::chrono::seconds gateway_timeout = std::chrono::seconds(300));

  // not_found; conflict when the agent does not run; bad_gateway or timeout with the cause when its gateway fails: the
  // message is kept then, marked failed. An agent that is about to run gets the message once it does. The exchange
  // belongs to the box: a client that goes away finds the answer in the history.
  web::Task<web::Result<Answer>> send(store::UserId, std::string agent, std::string text);
  // The same in two steps: what is refused is refused by the first one.
  web::Task<web::Result<Asked>> ask(store::UserId, std::string agent, std::string text);
  web::Task<web::Result<Answer>> answer(Asked, Listener = {});
  // Oldest first. not_found when the agent is not the caller's. A message that was cut off with the box that waited for
  // its answer is `failed`.
  web::Result<std::vector<Message>> history(store::UserId, const Slice&) const;
  // All messages of an agent: for agents::Agents::when_removed.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  web::Task<> commit(store::Change&);
  web::Task<web::Result<Completion>> complete(Message question, Listener);
  Message as_it_stands(const store::Tenant&, Message) const;

  store::System system_;
  agents::Agents& agents_;
  std::chrono::seconds gateway_timeout_;
  Pending pending_;
};

// /api/chat and /api/agents/:id/messages. The arguments must outlive the rows.
std::vector<web::Route> web_routes(Chat&, const agentbox::Guards&);
std::vector<web::Route> backend_routes(Chat&, const agents::Agents&, const agentbox::Guards&);

}  // namespace chat
