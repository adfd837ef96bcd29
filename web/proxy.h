// Passes one request on to another server on this box, an agent's gateway, and its answer back, both streamed.
#pragma once

#include <functional>
#include <optional>

#include "web/head_check.h"
#include "web/input_buffer.h"
#include "web/response_head.h"
#include "web/server.h"
#include "web/wire.h"

namespace web {

// The request as received; its body, if any, is still to be read from `client` behind `input`.
struct RelayedRequest {
  const Request& request;
  const RequestHead& head;
  Wire& client;
  InputBuffer& input;
  const Limits& limits;
  Persistence persistence;
  Deadlines& deadlines;
  // Called before an answer with a body is passed on, and once the connection carries bytes both ways (101). Endless:
  // that ends only when somebody wants it to.
  std::function<void(bool is_endless)> on_flow;
};

struct RelayOutcome {
  std::optional<Response> answer;  // to be sent by the caller: the target could not answer and nothing was sent
  int status = 502;
  std::size_t bytes = 0;  // of the answer's body
  bool going_on = false;  // the client's connection can be used further
};

// Hop-by-hop fields stay behind, X-Forwarded-* are set, the target's framing is checked as strictly as a client's. An
// upgrade whose Origin is not the request's own host is refused with 403; after a 101 bytes pass both ways until either
// side ends.
Task<RelayOutcome> relay_request(RelayedRequest, const ProxyTarget&);

}  // namespace web
