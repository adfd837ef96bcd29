#include "web/protocol/request_head.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>

#include "web/ascii.h"
#include "web/utf8.h"

namespace web {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

// Collects the fields as views into the connection's buffer: no copies or allocations.
class RequestParser : public http::basic_parser<true> {
 public:
  explicit RequestParser(Request& request) : request_(request) {}

  http::verb verb = http::verb::unknown;

 private:
  void on_request_impl(http::verb method, string_view, string_view, int, error_code&) override { verb = method; }
  void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
    request_.headers.push_back({name, value});
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override { return body.size(); }
  void on_finish_impl(error_code&) override {}

  Request& request_;
};

std::optional<Method> method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::get;
    case http::verb::head:
      return Method::head;
    case http::verb::post:
      return Method::post;
    case http::verb::put:
      return Method::put;
    case http::verb::patch:
      return Method::patch;
    case http::verb::delete_:
      return Method::del;
    case http::verb::options:
      return Method::options;
    default:
      return std::nullopt;
  }
}

bool has_parent_segment(std::string_view path) {
  for (std::size_t at = path.find(".."); at != std::string_view::npos; at = path.find("..", at + 1)) {
    bool starts = at == 0 || path[at - 1] == '/';
    bool ends = at + 2 == path.size() || path[at + 2] == '/';
    if (starts && ends) return true;
  }
  return false;
}

// The authority without its port; an IPv6 literal keeps its brackets.
std::string_view host_of(std::string_view authority) {
  auto from = authority.starts_with('[') ? authority.find(']') : 0;
  return authority.substr(0, authority.find(':', from));
}

}  // namespace

bool decode_path(std::string_view encoded, std::string& decoded, std::span<const std::string> deep_paths) {
  decoded.clear();
  bool ascii = true;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    auto c = encoded[i];
    if (c == '%') {
      int high = i + 2 < encoded.size() ? hex_digit(encoded[i + 1]) : -1;
      int low = high >= 0 ? hex_digit(encoded[i + 2]) : -1;
      if (low < 0) return false;
      c = static_cast<char>(high << 4 | low);
      i += 2;
      const auto is_above = [&](const std::string& deep) { return decoded.starts_with(deep); };
      if (c == '/' && std::ranges::none_of(deep_paths, is_above)) return false;
    }
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '\\') return false;
    ascii = ascii && byte < 0x80;
    decoded += c;
  }
  return !has_parent_segment(decoded) && (ascii || is_utf8(decoded));
}

std::string origin_form(const Request& request) {
  return (request.target.starts_with('?') ? "/" : "") + std::string(request.target);
}

std::optional<Refusal> parse_request(std::string_view bytes, const RequestHead& head, std::size_t max_fields,
                                     Request& request, std::span<const std::string> deep_paths) {
  request.headers.clear();
  RequestParser parser(request);
  parser.header_limit(static_cast<std::uint32_t>(head.size + 1));
  parser.body_limit(boost::none);
  error_code error;
  auto used = parser.put(boost::asio::buffer(bytes.data(), head.size), error);
  if (error == http::error::need_more) error = {};
  if (error || used != head.size || !parser.is_header_done() || request.headers.size() > max_fields) {
    return Refusal{400, "The request is malformed."};
  }
  auto method = method_of(parser.verb);
  if (!method) return Refusal{501, "This method is not supported."};
  request.method = *method;
  request.target = head.target;
  request.host = host_of(head.authority);
  auto question = std::min(head.target.find('?'), head.target.size());
  request.query = head.target.substr(std::min(question + 1, head.target.size()));
  if (!decode_path(head.target.substr(0, question), request.path, deep_paths)) {
    return Refusal{400, "The request path is malformed."};
  }
  if (question == 0) request.path = "/";  // an absolute form without a path
  return std::nullopt;
}

}  // namespace web
