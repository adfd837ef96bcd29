#include "web/routes/reply.h"

#include <charconv>

#include "web/protocol/byte_table.h"
#include "web/routes/json_number.h"
#include "web/utf8.h"

namespace web {
namespace {

// The body field of an error with a known time until a retry makes sense, in seconds.
constexpr std::string_view retry_after_field = "retryAfter";
// A limit and how much of it is left, for the RateLimit fields of the head; not part of the body.
constexpr std::string_view rate_limit_field = "rateLimit";
// The Retry-After of other errors.
constexpr std::string_view default_retry_seconds = "1";

// Two decimal digits at `at`.
void put_two(char* at, unsigned value) {
  at[0] = static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
}

template <class N>
void write_digits(std::string& out, N value) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

constexpr ByteTable plain_byte([](unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; });

void write_escaped(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
}

}  // namespace

namespace detail {

void write_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && plain_byte.holds(text[plain])) ++plain;
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      write_escaped(out, text.front());
      text.remove_prefix(1);
    } else if (const auto length = decode_utf8(text).length) {
      out.append(text.data(), length);
      text.remove_prefix(length);
    } else {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    }
  }
  out += '"';
}

void write_number(std::string& out, double value) {
  if (std::isfinite(value)) {
    append_json_number(out, value);
  } else {
    out += "null";
  }
}
void write_number(std::string& out, std::int64_t value) { write_digits(out, value); }
void write_number(std::string& out, std::uint64_t value) { write_digits(out, value); }

void write_value(std::string& out, const boost::json::array& array) {
  out += '[';
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (i > 0) out += ',';
    write_value(out, array[i]);
  }
  out += ']';
}

void write_value(std::string& out, const boost::json::object& object) {
  out += '{';
  for (const auto& [name, value] : object) {
    if (out.back() != '{') out += ',';
    write_string(out, name);
    out += ':';
    write_value(out, value);
  }
  out += '}';
}

void write_value(std::string& out, const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      out += "null";
      break;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      break;
    case boost::json::kind::int64:
      write_number(out, value.get_int64());
      break;
    case boost::json::kind::uint64:
      write_number(out, value.get_uint64());
      break;
    case boost::json::kind::double_:
      write_number(out, value.get_double());
      break;
    case boost::json::kind::string:
      write_string(out, value.get_string());
      break;
    case boost::json::kind::array:
      write_value(out, value.get_array());
      break;
    case boost::json::kind::object:
      write_value(out, value.get_object());
      break;
  }
}

void write_time(std::string& out, Milliseconds time) {
  out += '"';
  out += iso8601(time);
  out += '"';
}

}  // namespace detail

std::string iso8601(std::chrono::sys_time<std::chrono::milliseconds> time) {
  using namespace std::chrono;
  const auto midnight = floor<days>(time);
  const year_month_day date(midnight);
  const hh_mm_ss clock(time - midnight);
  const int year = static_cast<int>(date.year());
  if (year < 0 || year > 9999) throw std::out_of_range("iso8601: a year of more than four digits");
  std::string out = "0000-00-00T00:00:00.000Z";
  const auto millis = static_cast<unsigned>(clock.subseconds().count());
  put_two(&out[0], static_cast<unsigned>(year) / 100);
  put_two(&out[2], static_cast<unsigned>(year) % 100);
  put_two(&out[5], static_cast<unsigned>(date.month()));
  put_two(&out[8], static_cast<unsigned>(date.day()));
  put_two(&out[11], static_cast<unsigned>(clock.hours().count()));
  put_two(&out[14], static_cast<unsigned>(clock.minutes().count()));
  put_two(&out[17], static_cast<unsigned>(clock.seconds().count()));
  out[20] = static_cast<char>('0' + millis / 100);
  put_two(&out[21], millis % 100);
  return out;
}

int http_status(Kind kind) {
  switch (kind) {
    case Kind::invalid:
      return 400;
    case Kind::unauthenticated:
      return 401;
    case Kind::payment_required:
      return 402;
    case Kind::forbidden:
      return 403;
    case Kind::not_found:
      return 404;
    case Kind::conflict:
      return 409;
    case Kind::too_large:
      return 413;
    case Kind::too_many:
      return 429;
    case Kind::abandoned:
      return 499;  // as in nginx
    case Kind::internal:
      return 500;
    case Kind::bad_gateway:
      return 502;
    case Kind::unavailable:
      return 503;
    case Kind::timeout:
      return 504;
  }
  return 500;
}

namespace {

void add_rate_limit_fields(Response& response, const boost::json::object& window) {
  for (const auto& [member, name] :
       {std::pair("limit", "RateLimit-Limit"), std::pair("remaining", "RateLimit-Remaining"),
        std::pair("reset", "RateLimit-Reset")})
    response.headers.emplace_back(name, std::to_string(window.at(member).as_int64()));
}

}  // namespace

Response error_response(const Error& error) {
  Response response;
  response.status = http_status(error.kind);
  auto& body = response.body.emplace<std::string>();
  body += "{\"error\":";
  detail::write_string(body, error.message);
  if (!error.code.empty()) {
    body += ",\"code\":";
    detail::write_string(body, error.code);
  }
  for (const auto& field : error.extra) {
    if (field.key() == rate_limit_field) continue;
    body += ',';
    detail::write_string(body, field.key());
    body += ':';
    detail::write_value(body, field.value());
  }
  body += '}';
  const auto* known = error.extra.if_contains(retry_after_field);
  const bool limit_with_code = error.kind == Kind::too_many && !error.code.empty();  // waiting does not help then
  if (known && known->is_int64())
    response.headers.emplace_back("Retry-After", std::to_string(known->get_int64()));
  else if ((error.kind == Kind::too_many || error.kind == Kind::unavailable) && !limit_with_code)
    response.headers.emplace_back("Retry-After", default_retry_seconds);
  if (const auto* window = error.extra.if_contains(rate_limit_field))
    add_rate_limit_fields(response, window->as_object());
  return response;
}

}  // namespace web
