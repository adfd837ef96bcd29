// From a parsed request to a response: route, rate limit, guard, CSRF rule, body, handler, errors, headers, log,
// metrics.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "web/server/server.h"

namespace web {

// How the body of one request is read.
struct BodyRoom {
  std::size_t bytes;  // 413 beyond
  std::chrono::milliseconds time;
  bool is_streamed;  // by the handler of its row
};

class Dispatcher {
 public:
  // Validates the table: duplicate or malformed rows throw std::logic_error. The options must outlive it.
  explicit Dispatcher(const ListenerOptions&);
  ~Dispatcher();
  // The paths below which an encoded slash is accepted (Router::deep_paths).
  const std::vector<std::string>& deep_paths() const;
  // Fills in request.params and request.caller. Never throws. The response has every header except Content-Length,
  // Date, Connection and Transfer-Encoding, which the connection adds. Order: the client (403), 404/405 from the table,
  // overload (503), listener and route rate limits (429), guard (401/403), CSRF rule (403), Content-Type of a JSON body
  // (415), room for a streamed body (413, 503), then the endpoint (400 before the handler, 413, ...). Bearer guards
  // come before the rate limits, unless these limit guesses: a caller without a key uses up nothing of them.
  // `arriving`: the body, if its row streams it.
  Task<Response> handle(Request&, BodyStream* arriving = nullptr);
  // For a body that has not arrived yet.
  BodyRoom room_for_body(const Request&) const;
  // Whether the guard of this request's row still admits it; its session may have ended meanwhile.
  bool is_admitted(const Request&) const;
  // Adds the headers of every response to one that comes from no row.
  Response complete(const Request&, Response) const;
  // The complete response to an error. Logs it if the box is at fault or if the error has a detail.
  Response refuse(const Request&, const Error&) const;
  // Maps an exception of the listener's functions or handlers to an error.
  Error explain(std::exception_ptr) const;
  // Writes the access log line and the request metrics of one finished exchange, also of malformed requests (route
  // label "malformed"). `request` may be partly filled. `is_streamed`: the response was produced while it was sent, so
  // its time says nothing about the box.
  void finished(const Request&, std::string_view route, int status, std::size_t body_bytes,
                std::chrono::steady_clock::duration took, bool is_streamed = false);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace web
