// Relays one request to another server on this box (an agent's gateway) and its response back, both streamed.
#pragma once

#include <functional>
#include <optional>

#include "web/protocol/head_check.h"
#include "web/protocol/response_head.h"
#include "web/server/input_buffer.h"
#include "web/server/server.h"
#include "web/server/wire.h"

namespace web {

// The request as received. Its body, if any, is still to be read from `input` and then from `client`.
struct RelayedRequest {
  const Request& request;
  const RequestHead& head;
  Wire& client;
  InputBuffer& input;
  const Limits& limits;
  Persistence persistence;
  Deadlines& deadlines;
  // Called before a response with a body is relayed, and once the connection is a tunnel (101). `is_endless`: it ends
  // only when one side closes it.
  std::function<void(bool is_endless)> on_flow;
};

struct RelayOutcome {
  std::optional<Response> answer;  // for the caller to send: the target failed and nothing was sent
  int status = 502;
  std::size_t bytes = 0;  // of the response body
  bool going_on = false;  // the client's connection can be reused
};

// Drops hop-by-hop fields, sets X-Forwarded-* (but none that the target's drop_headers name), and checks the target's
// framing as strictly as a client's. An upgrade whose Origin is not the request's own host is refused with 403; after a
// 101 bytes are relayed both ways until either side closes.
Task<RelayOutcome> relay_request(RelayedRequest, const ProxyTarget&);

}  // namespace web
