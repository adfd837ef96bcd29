// The client's side of a WebSocket (RFC 6455), under the same policy, ledger and authorities as fetch().
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "web/client/call_origin.h"
#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace web {

struct WebSocketRequest {
  std::string url;  // ws or wss
  std::string user_agent;
  CallOrigin origin{};
  Reach reach = Reach::configured;
  std::chrono::milliseconds timeout{15'000};  // until it is open
  // A server that sends nothing is pinged after half of this, and the connection ends after all of it. 0: never.
  std::chrono::milliseconds idle{0};
  std::size_t max_bytes = 8u << 20;  // of a message
};

// For one thread. Messages arrive while nobody reads, up to a number; then the server waits. Destroying it closes the
// connection without a close frame.
class ClientWebSocket {
 public:
  virtual ~ClientWebSocket() = default;
  // The next message; nothing at the deadline. bad_gateway once the connection has ended and no message is left.
  virtual Task<Result<std::optional<std::string>>> read(std::chrono::steady_clock::time_point deadline) = 0;
  // One call at a time.
  virtual Task<Result<void>> write(std::string text) = 0;
  // The code of the server's close frame; 0: there was none.
  virtual std::uint16_t close_code() const = 0;
};

Task<Result<std::unique_ptr<ClientWebSocket>>> open_web_socket(WebSocketRequest);

}  // namespace web
