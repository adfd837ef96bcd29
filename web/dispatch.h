// From a parsed request to an answer: route, rate limit, CSRF rule, guard, body, handler, error path, headers, log,
// metrics.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <variant>

#include "web/large_bodies.h"
#include "web/server.h"

namespace web {

// What there is for the body of one request.
struct BodyRoom {
  std::size_t bytes;  // 413 beyond
  std::chrono::milliseconds time;
  LargeBodies::Place place;  // kept until the request is answered; empty where none is needed
};

class Dispatcher {
 public:
  // Validates the table: duplicate or malformed rows throw std::logic_error. The options must outlive it.
  explicit Dispatcher(const ListenerOptions&);
  ~Dispatcher();
  // The paths beneath which a slash may come encoded (Router::deep_paths).
  const std::vector<std::string>& deep_paths() const;
  // Fills in request.params and request.caller. Never throws. The answer carries every header but Content-Length, Date,
  // Connection and Transfer-Encoding, which the connection adds. Order: 404/405 from the table, overload (503),
  // listener and route rate limits (429), guard (401/403), CSRF rule (403), then the endpoint (400 before the handler,
  // 413, ...).
  Task<Response> handle(Request&);
  // For a body that has not been read yet; no length: it is told at its end. Or, of one that only a row of its own
  // would take, the complete answer to a caller whom its guard or the CSRF rule refuses, or for whom there is no room
  // now. Fills in request.caller then. Never throws.
  std::variant<BodyRoom, Response> room_for_body(Request&, std::optional<std::uint64_t> length);
  // Whether the guard of the row that answers this request would let it in now, too: a session may have ended.
  bool is_admitted(const Request&) const;
  // What handle's answers carry beside their own headers, for an answer that comes from no row.
  Response complete(const Request&, Response) const;
  // The complete answer to an error, which is logged when the box is at fault or the error has a detail.
  Response refuse(const Request&, const Error&) const;
  // What an exception out of the listener's functions and handlers means.
  Error explain(std::exception_ptr) const;
  // The access log line and the request metrics of one finished exchange, also for those the engine answered itself
  // (malformed: route label "malformed"). `request` may be partly filled.
  void finished(const Request&, std::string_view route, int status, std::size_t body_bytes,
                std::chrono::steady_clock::duration took);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace web
