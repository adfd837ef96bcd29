#include "web/protocol/head_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "web/ascii.h"
#include "web/protocol/byte_table.h"

namespace web {
namespace {

constexpr ByteTable target_byte([](unsigned char c) { return c > 0x20 && c < 0x7f && c != '#' && c != '\\'; });
constexpr ByteTable host_byte([](unsigned char c) {
  return is_alphanumeric(static_cast<char>(c)) || c == '-' || c == '.' || c == '_';
});

bool valid_port(std::string_view port) {
  if (port.empty() || port.size() > 5 || !std::all_of(port.begin(), port.end(), is_digit)) return false;
  unsigned number = 0;
  for (char c : port) number = number * 10 + static_cast<unsigned>(c - '0');
  return number > 0 && number <= 65535;
}

bool valid_authority(std::string_view authority) {
  if (authority.empty() || authority.size() > 300) return false;
  std::size_t host_end = 0;
  if (authority.front() == '[') {
    host_end = authority.find(']');
    if (host_end == std::string_view::npos) return false;
    auto inside = authority.substr(1, host_end - 1);
    bool address = inside.size() >= 2 && std::all_of(inside.begin(), inside.end(),
                                                     [](char c) { return hex_digit(c) >= 0 || c == ':' || c == '.'; });
    if (!address) return false;
    ++host_end;
  } else {
    host_end = std::min(authority.find(':'), authority.size());
    if (host_end == 0 || !host_byte.holds_all(authority.substr(0, host_end))) return false;
  }
  if (host_end == authority.size()) return true;
  return authority[host_end] == ':' && valid_port(authority.substr(host_end + 1));
}

// Digits only: no sign, no 0x, no list; at most 18 digits, so that sums cannot overflow.
std::optional<std::uint64_t> decimal(std::string_view text) {
  if (text.empty() || text.size() > 18 || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::uint64_t number = 0;
  for (char c : text) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

// The fields of a head about framing and the connection.
struct Fields {
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  std::string_view host;
  bool has_host = false;
  bool close = false, keep_alive = false, upgrade = false, websocket = false;
  std::string_view expect;
  bool has_origin = false, has_site = false, has_type = false, has_authorization = false;
  bool repeats = false;  // one of these
};

// Guards rely on these fields: with two of one, different components might read different ones.
void note_once(Fields& fields, bool& there) { fields.repeats |= std::exchange(there, true); }

std::optional<Refusal> note(Fields& fields, std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 4:
      if (equal_ignoring_case(name, "host")) {
        if (fields.has_host) return Refusal{400, "More than one Host field."};
        fields.has_host = true;
        fields.host = value;
      }
      break;
    case 6:
      if (equal_ignoring_case(name, "expect")) fields.expect = value;
      if (equal_ignoring_case(name, "origin")) note_once(fields, fields.has_origin);
      break;
    case 7:
      if (equal_ignoring_case(name, "upgrade")) fields.websocket = equal_ignoring_case(value, "websocket");
      break;
    case 10:
      if (equal_ignoring_case(name, "connection")) {
        fields.close |= list_contains(value, "close");
        fields.keep_alive |= list_contains(value, "keep-alive");
        fields.upgrade |= list_contains(value, "upgrade");
      }
      break;
    case 12:
      if (equal_ignoring_case(name, "content-type")) note_once(fields, fields.has_type);
      break;
    case 13:
      if (equal_ignoring_case(name, "authorization")) note_once(fields, fields.has_authorization);
      break;
    case 14:
      if (equal_ignoring_case(name, "sec-fetch-site")) note_once(fields, fields.has_site);
      if (equal_ignoring_case(name, "content-length")) {
        if (fields.content_length) return Refusal{400, "More than one Content-Length field."};
        fields.content_length = decimal(value);
        if (!fields.content_length) return Refusal{400, "Content-Length is not a plain decimal number."};
      }
      break;
    case 17:
      if (equal_ignoring_case(name, "transfer-encoding")) {
        if (fields.chunked) return Refusal{400, "More than one Transfer-Encoding field."};
        if (!equal_ignoring_case(value, "chunked")) return Refusal{400, "Transfer-Encoding must be exactly chunked."};
        fields.chunked = true;
      }
      break;
    default:
      break;
  }
  if (fields.chunked && fields.content_length) {
    return Refusal{400, "Content-Length and Transfer-Encoding exclude each other."};
  }
  return std::nullopt;
}

// Iterates over the lines of a head; each ends in exactly CRLF.
class Lines {
 public:
  Lines(std::string_view bytes, const HeadLimits& limits) : bytes_(bytes), limits_(limits) {}

  // Returns the next line without its end, or NeedMore or Refusal.
  std::variant<NeedMore, std::string_view, Refusal> next(bool first) {
    auto end = bytes_.find('\n', position_);
    auto seen = (end == std::string_view::npos ? bytes_.size() : end + 1);
    if (first && seen > limits_.line_bytes) return Refusal{414, "The request line is too long."};
    if (seen > limits_.head_bytes || (end == std::string_view::npos && seen == limits_.head_bytes)) {
      return Refusal{431, "The request's header fields are too large."};
    }
    if (end == std::string_view::npos) return NeedMore{};
    if (end == position_ || bytes_[end - 1] != '\r') return Refusal{400, "Lines must end in CRLF."};
    auto line = bytes_.substr(position_, end - 1 - position_);
    position_ = end + 1;
    return line;
  }
  std::size_t position() const { return position_; }

 private:
  std::string_view bytes_;
  const HeadLimits& limits_;
  std::size_t position_ = 0;
};

// Reads field lines including the empty line. Returns NeedMore or Refusal, or nothing if the head is complete.
std::optional<std::variant<NeedMore, Refusal>> read_fields(Lines& lines, const HeadLimits& limits, Fields& fields) {
  for (std::size_t count = 0;; ++count) {
    auto next = lines.next(false);
    if (std::holds_alternative<NeedMore>(next)) return NeedMore{};
    if (auto* refusal = std::get_if<Refusal>(&next)) return *refusal;
    auto line = std::get<std::string_view>(next);
    if (line.empty()) return std::nullopt;
    if (count == limits.fields) return Refusal{431, "The request has too many header fields."};
    if (line.front() == ' ' || line.front() == '\t') return Refusal{400, "Folded header fields are not allowed."};
    if (!well_formed_field(line)) return Refusal{400, "A header field is malformed."};
    auto colon = line.find(':');
    if (auto refusal = note(fields, line.substr(0, colon), trim(line.substr(colon + 1)))) return *refusal;
  }
}

// What an absolute form names besides path and query.
struct Absolute {
  std::string_view authority;     // empty: another form
  std::string_view default_port;  // of its scheme, with the colon
};

std::string_view without_port(std::string_view authority, std::string_view port) {
  if (authority.ends_with(port)) authority.remove_suffix(port.size());
  return authority;
}

// Whether the Host field names the same host and port; an absent port is the scheme's.
bool agrees_with_host(const Absolute& absolute, std::string_view host) {
  return equal_ignoring_case(without_port(absolute.authority, absolute.default_port),
                             without_port(host, absolute.default_port));
}

std::variant<RequestHead, Refusal> check_request_line(std::string_view line, Absolute& absolute) {
  auto method_end = line.find(' ');
  if (method_end == std::string_view::npos || method_end == 0 || method_end > 32 ||
      !token_byte.holds_all(line.substr(0, method_end))) {
    return Refusal{400, "The request line is malformed."};
  }
  auto method = line.substr(0, method_end);
  auto rest = line.substr(method_end + 1);
  auto target_end = rest.find(' ');
  if (target_end == std::string_view::npos) return Refusal{400, "The request line is malformed."};
  auto target = rest.substr(0, target_end);
  auto version = rest.substr(target_end + 1);
  if (target.empty() || !target_byte.holds_all(target)) return Refusal{400, "The request target is malformed."};

  RequestHead head;
  if (version == "HTTP/1.0") {
    head.http_1_0 = true;
  } else if (version != "HTTP/1.1") {
    bool other = version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
                 is_digit(version[7]);
    return other ? Refusal{505, "Only HTTP/1.0 and HTTP/1.1 are spoken here."}
                 : Refusal{400, "The request line is malformed."};
  }
  if (target.front() == '/' || (target == "*" && method == "OPTIONS")) {
    head.target = target;
    return head;
  }
  auto scheme_end = target.find("://");
  if (scheme_end == std::string_view::npos) return Refusal{400, "The request target is malformed."};
  auto scheme = target.substr(0, scheme_end);
  if (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https")) {
    return Refusal{400, "The request target is malformed."};
  }
  auto after = target.substr(scheme_end + 3);
  auto path = std::min(after.find_first_of("/?"), after.size());
  absolute = {.authority = after.substr(0, path), .default_port = scheme.size() == 4 ? ":80" : ":443"};
  if (!valid_authority(absolute.authority)) return Refusal{400, "The request target is malformed."};
  head.target = path == after.size() ? std::string_view("/") : after.substr(path);
  return head;
}

}  // namespace

bool list_contains(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    auto comma = std::min(list.find(','), list.size());
    if (equal_ignoring_case(trim(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

bool well_formed_field(std::string_view line) {
  auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || !token_byte.holds_all(line.substr(0, colon))) return false;
  return value_byte.holds_all(line.substr(colon + 1));
}

std::string_view field_lines(std::string_view head) { return head.substr(std::min(head.find('\n') + 1, head.size())); }

FieldLine next_field(std::string_view& lines) {
  auto end = lines.find("\r\n");
  if (end == std::string_view::npos || end == 0) return {};
  auto line = lines.substr(0, end);
  lines.remove_prefix(end + 2);
  auto colon = line.find(':');
  return {line.substr(0, colon), trim(line.substr(colon + 1))};
}

std::variant<NeedMore, RequestHead, Refusal> check_request_head(std::string_view bytes, const HeadLimits& limits) {
  Lines lines(bytes, limits);
  auto first = lines.next(true);
  if (std::holds_alternative<NeedMore>(first)) return NeedMore{};
  if (auto* refusal = std::get_if<Refusal>(&first)) return *refusal;
  Absolute absolute;
  auto line = check_request_line(std::get<std::string_view>(first), absolute);
  if (auto* refusal = std::get_if<Refusal>(&line)) return *refusal;
  auto head = std::get<RequestHead>(line);

  Fields fields;
  if (auto stop = read_fields(lines, limits, fields)) {
    if (auto* refusal = std::get_if<Refusal>(&*stop)) return *refusal;
    return NeedMore{};
  }
  if (fields.repeats) return Refusal{400, "More than one Origin, Sec-Fetch-Site, Content-Type or Authorization field."};
  if (!fields.has_host && !head.http_1_0) return Refusal{400, "The Host field is missing."};
  if (fields.has_host && !valid_authority(fields.host)) return Refusal{400, "The Host field is malformed."};
  if (!absolute.authority.empty() && fields.has_host && !agrees_with_host(absolute, fields.host)) {
    return Refusal{400, "The request target and the Host field disagree."};
  }
  if (fields.chunked && head.http_1_0) return Refusal{400, "Transfer-Encoding does not exist in HTTP/1.0."};
  if (!fields.expect.empty()) {
    if (!equal_ignoring_case(fields.expect, "100-continue")) return Refusal{417, "This expectation cannot be met."};
    head.expects_continue = !head.http_1_0;
  }
  head.size = lines.position();
  head.authority = fields.has_host ? fields.host : absolute.authority;
  head.keep_alive = !fields.close && (!head.http_1_0 || fields.keep_alive);
  if (fields.chunked) head.body = Framing::chunked;
  if (fields.content_length && *fields.content_length > 0) {
    head.body = Framing::sized;
    head.content_length = *fields.content_length;
  }
  head.websocket = fields.upgrade && fields.websocket && !head.http_1_0 && head.body == Framing::none;
  return head;
}

std::variant<NeedMore, ResponseHead, Refusal> check_response_head(std::string_view bytes, const HeadLimits& limits,
                                                                  bool to_head) {
  Lines lines(bytes, limits);
  auto first = lines.next(true);
  if (std::holds_alternative<NeedMore>(first)) return NeedMore{};
  if (auto* refusal = std::get_if<Refusal>(&first)) return *refusal;
  auto line = std::get<std::string_view>(first);
  bool version = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
  if (!version || line.size() < 12 || !value_byte.holds_all(line)) return Refusal{502, "The status line is malformed."};
  auto status = decimal(line.substr(9, 3));
  if (!status || *status < 100 || *status > 599 || (line.size() > 12 && line[12] != ' ')) {
    return Refusal{502, "The status line is malformed."};
  }

  Fields fields;
  if (auto stop = read_fields(lines, limits, fields)) {
    if (auto* refusal = std::get_if<Refusal>(&*stop)) return *refusal;
    return NeedMore{};
  }
  ResponseHead head;
  head.size = lines.position();
  head.status = static_cast<int>(*status);
  if (fields.chunked && line[7] == '0') return Refusal{502, "Transfer-Encoding does not exist in HTTP/1.0."};
  if (to_head || head.status < 200 || head.status == 204 || head.status == 304) {
    head.body = Framing::none;
  } else if (fields.chunked) {
    head.body = Framing::chunked;
  } else if (fields.content_length) {
    head.body = *fields.content_length > 0 ? Framing::sized : Framing::none;
    head.content_length = *fields.content_length;
  }
  return head;
}

}  // namespace web
