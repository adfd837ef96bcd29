// HTTP for handlers: our own small Request and Response. Beast is not included here because it costs every unit many
// seconds of compile time.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "web/result.h"
#include "web/task.h"

namespace web {

enum class Method : std::uint8_t { get, head, post, put, patch, del, options };
std::string_view to_string(Method);  // "GET", ..., "DELETE"

struct Header {
  std::string_view name;  // as the client spelled it
  std::string_view value;
};

// The authenticated caller, as the route's guard found it. user_id 0: anonymous.
struct Caller {
  std::int64_t user_id = 0;
  bool admin = false;
  std::string agent;       // set when the credential is an agent's own token
  std::string credential;  // id of the session, key or token used; never the secret itself
};

// One request. The views point into the connection's buffer and are valid while the handler runs.
struct Request {
  Method method = Method::get;
  std::string_view target;  // as sent: path and query; see origin_form() in request_head.h
  // Percent-decoded once; never holds '..', NUL or '\'. An encoded '/' is possible only in a ':name+' parameter.
  std::string path;
  std::string_view query;  // raw, without '?'
  std::vector<Header> headers;
  std::string_view body;       // complete; at most the listener's or the row's limit
  std::string client_address;  // the peer, or the client that a trusted proxy reports
  std::string_view host;       // Host header without port, in any case
  bool secure = false;         // the client used https to us or to a trusted proxy
  std::string id;              // request id for the log and the X-Request-Id answer header
  std::vector<std::pair<std::string_view, std::string>> params;  // ':id' of the route's pattern
  Caller caller;                                                 // filled in by the guard
  // The pattern of the matching row ("/api/agents/:id"), for log and metrics, or "unmatched"; filled in by the
  // dispatcher.
  std::string_view route;

  // First value of a header, case-insensitively; empty when absent. Use `has_header` where that matters.
  std::string_view header(std::string_view name) const;
  bool has_header(std::string_view name) const;
  // Path parameter `name`; throws std::logic_error when the pattern has none.
  const std::string& param(std::string_view name) const;
  // All values of a cookie. The caller must refuse two of the same name.
  std::vector<std::string_view> cookies(std::string_view name) const;
  // The token of `Authorization: Bearer <token>`; nothing when there is no such header or no token.
  std::optional<std::string_view> bearer() const;
};

// Writes one streamed body. Each call suspends until the client has received the bytes (back-pressure) and throws if
// the client is gone or slower than the server's write time-out.
class StreamWriter {
 public:
  virtual ~StreamWriter() = default;
  virtual Task<> write(std::string bytes) = 0;
  // One server-sent event; `id` and `event` may be empty; data may have several lines.
  Task<> event(std::string_view data, std::string_view event = {}, std::string_view id = {});
};

// One accepted WebSocket. Owned by the connection; used from its thread only.
class WebSocket {
 public:
  struct Message {
    std::string data;
    bool text = true;
  };
  virtual ~WebSocket() = default;
  // The next message, or nothing if the peer has closed. At most 1 MB; a longer one closes the socket with 1009.
  virtual Task<std::optional<Message>> read() = 0;
  virtual Task<> write(Message) = 0;
  virtual Task<> close(std::uint16_t code, std::string reason) = 0;
};

// A body that is produced while it is sent (chunked; server-sent events for that content type).
using Stream = std::function<Task<>(StreamWriter&)>;
// The request becomes a WebSocket. The Origin has been checked before the handler ran.
using Upgrade = std::function<Task<>(WebSocket&)>;

struct Response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;  // without Content-Type, -Length, Date, security headers
  std::string content_type = "application/json";
  std::variant<std::string, Stream, Upgrade> body;
  // The known length of a stream, which is then sent with Content-Length instead of in chunks and must write exactly
  // that much.
  std::optional<std::uint64_t> stream_length;
  bool endless = false;  // ends only when the client disconnects or is no longer admitted, and on drain
  // Complete header lines, each ending in CRLF, that many responses share (the security headers). Set by the
  // dispatcher, which outlives them; the connection appends them unchanged.
  std::string_view constant_headers;

  // Replaces a header of that name; only Set-Cookie is added. Throws std::logic_error if the result would not be one
  // header line.
  Response& set(std::string name, std::string value) &;
  Response&& set(std::string name, std::string value) &&;
};

struct Cookie {
  std::string name, value;
  std::chrono::seconds max_age{0};  // 0: deletes the cookie
  bool secure = false;              // HttpOnly, SameSite=Lax and Path=/ are always set
};
std::string to_string(const Cookie&);  // the value of a Set-Cookie header

Response json(const boost::json::value& body, int status = 200);
Response redirect(std::string location, int status = 302);
Response text(std::string body, std::string content_type = "text/plain; charset=utf-8", int status = 200);
Response server_sent_events(Stream);

// Any described struct (Boost.Describe) or boost::json value as a JSON response.
template <class T>
Response reply(const T& body, int status = 200);  // in reply.h

}  // namespace web
