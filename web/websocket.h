// The server's side of a WebSocket over one connection's wire.
#pragma once

#include <chrono>
#include <memory>

#include "web/http.h"
#include "web/wire.h"

namespace web {

class AcceptedWebSocket : public WebSocket {
 public:
  // Answers the upgrade; false when the client's handshake is bad or it is gone.
  virtual Task<bool> accept() = 0;
  // Starts a going-away close beside whatever reads or writes; `self` keeps the connection alive meanwhile.
  virtual void close_soon(Executor, std::shared_ptr<void> self) = 0;
};

// The response's own headers are sent with the 101. Wire and response must outlive it. A peer that is silent for `idle`
// is pinged at half of it and closed at its end.
std::shared_ptr<AcceptedWebSocket> open_websocket(Wire&, const Request&, const Response&,
                                                  std::chrono::milliseconds idle);

}  // namespace web
