#include "web/protocol/response_head.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <ctime>

namespace web {
namespace {

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_clean(std::string& out, std::string_view text) {
  auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::none_of(text.begin(), text.end(), control)) {
    out += text;
    return;
  }
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [&](char c) { return c == '\t' || !control(c); });
}

}  // namespace

void append_status_line(std::string& out, int status) {
  if (status == 200) {
    out += "HTTP/1.1 200 OK\r\n";
    return;
  }
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(status));
  out += ' ';
  out += boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  out += "\r\n";
}

void append_date(std::string& out) {
  thread_local std::time_t second = 0;
  thread_local std::array<char, 40> line;
  thread_local std::size_t size = 0;
  if (auto now = std::time(nullptr); now != second) {
    second = now;
    std::tm utc{};
    gmtime_r(&now, &utc);
    size = std::strftime(line.data(), line.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
  }
  out.append(line.data(), size);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  append_clean(out, name);
  out += ": ";
  append_clean(out, value);
  out += "\r\n";
}

void append_response_head(std::string& out, const Response& response, std::optional<std::size_t> content_length,
                          bool chunked, Persistence persistence) {
  append_status_line(out, response.status);
  append_date(out);
  if (!response.content_type.empty()) append_field(out, "Content-Type", response.content_type);
  for (auto& [name, value] : response.headers) append_field(out, name, value);
  out += response.constant_headers;
  if (content_length) {
    out += "Content-Length: ";
    append_number(out, *content_length);
    out += "\r\n";
  }
  if (chunked) out += "Transfer-Encoding: chunked\r\n";
  if (persistence == Persistence::close) out += "Connection: close\r\n";
  if (persistence == Persistence::keep_alive_1_0) out += "Connection: keep-alive\r\n";
  out += "\r\n";
}

}  // namespace web
