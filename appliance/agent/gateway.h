// The agent's HTTP and WebSocket gateway.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "appliance/agent/conversations.h"
#include "appliance/agent/loop.h"
#include "appliance/agent/workspace.h"
#include "web/routes/route.h"

namespace agent_process {

// GET /healthz, /health, /readyz, /ready: public. POST /v1/chat/completions and GET /v1/models: bearer
// gateway token. GET /ws: the same token, also as ?token=, since browsers cannot set headers there.
//
// A completion is a turn of the conversation that its headers name (runtime/agent_profile.h): without them, of the
// owner's first one. A request without them that has earlier messages of its own begins a conversation from these, or
// again, if an earlier request had the same first message.
//
// DELETE /v1/conversations/:name?peer= removes a conversation of the owner or of that peer, and
// DELETE /v1/peers/:peer all of a peer.
//
// POST /v1/rewind {message, preview?} goes back to before the turn that the box's message began, or says what that
// would change: {files, turns}.
//
// A streamed completion ends with its client. Steps of the agent are chunks with an empty delta and a member
// `agentbox`, which other clients ignore: {step: "tool_call", id, name, arguments}, {step: "tool_output", id, name,
// output} while a command runs, {step: "tool_result", id, name, result, failed, durationMs}, and {step: "guard", code}
// when the guard has stopped the turn (turn_guard.h).
//
// POST /v1/fork {message, name} writes the same point down for a clone (Loop::fork).
//
// WebSocket, JSON text messages. In: {type: "message", content}. Out, while the agent works: {type: "delta", content}
// and the steps, with `type` for `step`; then {type: "message", content, model, usage} or {type: "error", error}.
class Gateway {
 public:
  static constexpr std::size_t max_message_bytes = 100'000;

  // All of them must outlive the gateway, which must outlive the listener of its rows.
  Gateway(Loop&, const Workspace&, Conversations&, boost::asio::thread_pool& files, std::string token);

  std::vector<web::Route> routes();
  const web::Guard& token_guard() const { return bearer_; }

 private:
  bool knows(std::string_view token) const;
  web::Task<web::Result<web::Response>> complete(web::Request&);
  web::Task<web::Result<web::Response>> rewind(web::Request&);
  web::Task<web::Result<web::Response>> fork(web::Request&);
  web::Task<> serve(web::WebSocket&);
  web::Task<std::string> answer(std::string message, web::WebSocket&);
  web::Task<web::Result<web::Response>> forget(std::string name, std::string peer);
  web::Response readiness() const;

  Loop& loop_;
  const Workspace& workspace_;
  Conversations& conversations_;
  boost::asio::thread_pool& files_;
  const std::string token_digest_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  web::Guard open_, bearer_, bearer_or_query_;
};

}  // namespace agent_process
