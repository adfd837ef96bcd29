// The strict check that stands before the HTTP parser: what two parsers could frame differently is refused here and
// never reaches one (docs/security.md). Pure functions over the raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace web {

// How the bytes after a head are delimited.
enum class Framing : std::uint8_t { none, sized, chunked, until_close };

struct HeadLimits {
  std::size_t head_bytes = 16 * 1024;  // with the empty line; 431 beyond
  std::size_t fields = 100;            // 431 beyond
  std::size_t line_bytes = 8 * 1024;   // of the first line; 414 beyond
};

// The bytes so far are the beginning of a head that may still turn out acceptable.
struct NeedMore {};

// Not to be served. The connection cannot be used further: where the next message begins is unknown.
struct Refusal {
  int status = 400;
  std::string_view reason;  // a sentence for the client, static storage
};

// A head that is framed beyond doubt. The views point into the checked bytes.
struct RequestHead {
  std::size_t size = 0;  // with the empty line: where the body begins
  Framing body = Framing::none;
  std::uint64_t content_length = 0;
  std::string_view target;     // origin form (absolute form is cut down to it) or "*"
  std::string_view authority;  // the Host field; empty only in HTTP/1.0
  bool http_1_0 = false;
  bool keep_alive = true;         // what version and Connection field ask for
  bool expects_continue = false;  // Expect: 100-continue
  bool websocket = false;         // Connection: upgrade with Upgrade: websocket
};

// Accepts HTTP/1.0 and 1.1 requests in origin form, absolute form that agrees with Host, and "OPTIONS *". Refuses,
// among others: any line end but CRLF, folded lines, spaces before a colon, control bytes, Content-Length together with
// Transfer-Encoding or more than one of either, a coding other than exactly "chunked", a missing or second Host.
std::variant<NeedMore, RequestHead, Refusal> check_request_head(std::string_view bytes, const HeadLimits&);

struct ResponseHead {
  std::size_t size = 0;
  int status = 0;
  Framing body = Framing::until_close;
  std::uint64_t content_length = 0;
};

// The same strictness for the answer of a proxied target. `to_head`: the request was a HEAD.
std::variant<NeedMore, ResponseHead, Refusal> check_response_head(std::string_view bytes, const HeadLimits&,
                                                                  bool to_head);

// One field line of a head that has passed the check.
struct FieldLine {
  std::string_view name, value;
};
// Cuts the first field line off `lines` (what follows the first line of a checked head); empty name at the empty line.
FieldLine next_field(std::string_view& lines);
// The lines after the first one.
std::string_view field_lines(std::string_view head);

// True when the comma-separated `list` names `token`, case-insensitively.
bool list_contains(std::string_view list, std::string_view token);

// A field line without its line end that is well formed; used for trailers too.
bool well_formed_field(std::string_view line);

}  // namespace web
