#include "web/protocol/http.h"

#include <algorithm>
#include <stdexcept>

#include "web/ascii.h"
#include "web/protocol/byte_table.h"
#include "web/routes/reply.h"

namespace web {
namespace {

// RFC 6265: the characters of a cookie value without quotes.
constexpr ByteTable cookie_byte([](unsigned char c) {
  return c > 0x20 && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
});
constexpr ByteTable one_line_byte([](unsigned char c) { return c != '\r' && c != '\n' && c != '\0'; });

// Percent-encodes bytes that are invalid in a header value, so that a location is one line of ASCII.
std::string header_safe(std::string_view location) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  out.reserve(location.size());
  for (const char c : location) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += '%';
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
  return out;
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::patch:
      return "PATCH";
    case Method::del:
      return "DELETE";
    case Method::options:
      return "OPTIONS";
  }
  return "?";
}

std::string_view Request::header(std::string_view name) const {
  for (const auto& header : headers) {
    if (equal_ignoring_case(header.name, name)) return header.value;
  }
  return {};
}

bool Request::has_header(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const Header& header) { return equal_ignoring_case(header.name, name); });
}

const std::string& Request::param(std::string_view name) const {
  for (const auto& [key, value] : params) {
    if (key == name) return value;
  }
  throw std::logic_error("the route's pattern has no parameter '" + std::string(name) + "'");
}

std::vector<std::string_view> Request::cookies(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& header : headers) {
    if (!equal_ignoring_case(header.name, "cookie")) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const auto end = rest.find(';');
      const auto pair = trim(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      const auto equals = pair.find('=');
      if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
      auto value = pair.substr(equals + 1);
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
      // An invalid value still counts, as an empty one: together with a valid one there are two.
      values.push_back(cookie_byte.holds_all(value) ? value : std::string_view());
    }
  }
  return values;
}

std::optional<std::string_view> Request::bearer() const {
  constexpr std::string_view scheme = "Bearer ";
  std::optional<std::string_view> found;
  for (const auto& header : headers) {
    if (!equal_ignoring_case(header.name, "authorization")) continue;
    if (found) return {};  // two credentials: neither counts
    if (!starts_ignoring_case(header.value, scheme)) return {};
    const auto token = trim(header.value.substr(scheme.size()));
    if (token.empty() || std::ranges::any_of(token, [](char c) { return c == ' ' || c == '\t'; })) return {};
    found = token;
  }
  return found;
}

Response& Response::set(std::string name, std::string value) & {
  if (!is_token(name) || !one_line_byte.holds_all(value)) throw std::logic_error("not a header: " + name);
  const auto same = std::find_if(headers.begin(), headers.end(),
                                 [&](const auto& header) { return equal_ignoring_case(header.first, name); });
  if (same == headers.end() || equal_ignoring_case(name, "set-cookie"))
    headers.emplace_back(std::move(name), std::move(value));
  else
    same->second = std::move(value);
  return *this;
}

Response&& Response::set(std::string name, std::string value) && {
  return std::move(set(std::move(name), std::move(value)));
}

std::string to_string(const Cookie& cookie) {
  if (!is_token(cookie.name) || !cookie_byte.holds_all(cookie.value))
    throw std::logic_error("not a cookie: " + cookie.name);
  std::string out = cookie.name + '=' + cookie.value + "; Path=/; Max-Age=" + std::to_string(cookie.max_age.count());
  if (cookie.max_age.count() <= 0) out += "; Expires=Thu, 01 Jan 1970 00:00:00 GMT";
  out += "; HttpOnly; SameSite=Lax";
  if (cookie.secure) out += "; Secure";
  return out;
}

Response json(const boost::json::value& body, int status) {
  Response response;
  response.status = status;
  detail::write_value(response.body.emplace<std::string>(), body);
  return response;
}

Response redirect(std::string location, int status) {
  Response response;
  response.status = status;
  response.content_type.clear();
  response.headers.emplace_back("Location", header_safe(location));
  return response;
}

Response text(std::string body, std::string content_type, int status) {
  Response response;
  response.status = status;
  response.content_type = std::move(content_type);
  response.body = std::move(body);
  return response;
}

Response server_sent_events(Stream stream) {
  Response response;
  response.content_type = "text/event-stream";
  // Tells reverse proxies not to buffer the stream.
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.body = std::move(stream);
  return response;
}

}  // namespace web
