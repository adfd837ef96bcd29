// The strict check before the HTTP parser: it refuses requests that two parsers could frame differently
// (docs/security.md). Pure functions over the raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace web {

// How the bytes after a head are delimited.
enum class Framing : std::uint8_t { none, sized, chunked, until_close };

struct HeadLimits {
  std::size_t head_bytes = 16 * 1024;  // including the empty line; else 431
  std::size_t fields = 100;            // 431 beyond
  std::size_t line_bytes = 8 * 1024;   // of the first line; 414 beyond
};

// The bytes are the valid beginning of a head.
struct NeedMore {};

// The request is refused. The connection cannot be reused, since the start of the next message is unknown.
struct Refusal {
  int status = 400;
  std::string_view reason;  // a sentence for the client, static storage
};

// A head with unambiguous framing. The views point into the checked bytes.
struct RequestHead {
  std::size_t size = 0;  // with the empty line: where the body begins
  Framing body = Framing::none;
  std::uint64_t content_length = 0;
  // Origin form, to which absolute form is cut down, or "*". Begins with '?' where an absolute form has no path, which
  // means "/".
  std::string_view target;
  std::string_view authority;  // the Host field; empty only in HTTP/1.0
  bool http_1_0 = false;
  bool keep_alive = true;         // according to version and Connection field
  bool expects_continue = false;  // Expect: 100-continue
  bool websocket = false;         // Connection: upgrade with Upgrade: websocket
};

// Accepts HTTP/1.0 and 1.1 requests in origin form, absolute form that agrees with Host (an absent port is the scheme's
// default), and "OPTIONS *". Refuses,
// among others: any line end but CRLF, folded lines, spaces before a colon, control bytes, Content-Length together with
// Transfer-Encoding or more than one of either, a coding other than exactly "chunked", a missing or second Host.
std::variant<NeedMore, RequestHead, Refusal> check_request_head(std::string_view bytes, const HeadLimits&);

struct ResponseHead {
  std::size_t size = 0;
  int status = 0;
  Framing body = Framing::until_close;
  std::uint64_t content_length = 0;
};

// The same strict check for the response of a proxied target. `to_head`: the request was a HEAD.
std::variant<NeedMore, ResponseHead, Refusal> check_response_head(std::string_view bytes, const HeadLimits&,
                                                                  bool to_head);

// One field line of a head that has passed the check.
struct FieldLine {
  std::string_view name, value;
};
// Removes the first field line from `lines` (the lines after the first one of a checked head) and returns it. The name
// is empty at the empty line.
FieldLine next_field(std::string_view& lines);
// The lines after the first one.
std::string_view field_lines(std::string_view head);

// True when the comma-separated `list` names `token`, case-insensitively.
bool list_contains(std::string_view list, std::string_view token);

// Whether a field line, without its line end, is well formed; also for trailers.
bool well_formed_field(std::string_view line);

}  // namespace web
