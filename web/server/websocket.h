// The server's side of a WebSocket over one connection's wire.
#pragma once

#include <chrono>
#include <memory>

#include "web/protocol/http.h"
#include "web/server/wire.h"

namespace web {

class AcceptedWebSocket : public WebSocket {
 public:
  // Answers the upgrade. Returns false if the client's handshake is invalid or the client is gone.
  virtual Task<bool> accept() = 0;
  // Starts a going-away close while reads and writes may be in progress; `self` keeps the connection alive meanwhile.
  virtual void close_soon(Executor, std::shared_ptr<void> self) = 0;
};

// The response's own headers are sent with the 101. Wire and response must outlive it. A peer that sends nothing is
// pinged after half of `idle` and closed after `idle`.
std::shared_ptr<AcceptedWebSocket> open_websocket(Wire&, const Request&, const Response&,
                                                  std::chrono::milliseconds idle);

}  // namespace web
