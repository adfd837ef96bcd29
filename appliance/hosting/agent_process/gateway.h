// The agent's HTTP and WebSocket gateway.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "appliance/hosting/agent_process/loop.h"
#include "appliance/hosting/agent_process/workspace.h"
#include "web/routes/route.h"

namespace agent_process {

// GET /healthz, /health, /readyz, /ready: public. POST /v1/chat/completions and GET /v1/models: bearer
// gateway token. GET /ws: the same token, also as ?token=, since browsers cannot set headers there.
//
// A streamed completion ends with its client. Steps of the agent are chunks with an empty delta and a member
// `agentbox`, which other clients ignore: {step: "tool_call", id, name, arguments} and {step: "tool_result", id, name,
// result, failed, durationMs}.
//
// WebSocket, JSON text messages. In: {type: "message", content}. Out, while the agent works: {type: "delta", content}
// and the steps, with `type` for `step`; then {type: "message", content, model, usage} or {type: "error", error}.
class Gateway {
 public:
  static constexpr std::size_t most_message_bytes = 100'000;

  // Both must outlive the gateway, which must outlive the listener of its rows.
  Gateway(Loop&, const Workspace&, std::string token);

  std::vector<web::Route> routes();
  const web::Guard& token_guard() const { return bearer_; }

 private:
  bool knows(std::string_view token) const;
  web::Task<web::Result<web::Response>> complete(web::Request&);
  web::Task<> serve(web::WebSocket&);
  web::Task<std::string> answer(std::string message, web::WebSocket&);
  web::Response readiness() const;

  Loop& loop_;
  const Workspace& workspace_;
  const std::string token_digest_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  web::Guard open_, bearer_, bearer_or_query_;
};

}  // namespace agent_process
