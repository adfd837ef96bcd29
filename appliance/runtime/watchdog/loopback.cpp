#include "appliance/runtime/watchdog/loopback.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <memory>
#include <optional>

#include "web/ascii.h"

namespace watchdog {
namespace {

namespace asio = boost::asio;
using Socket = asio::basic_stream_socket<asio::ip::tcp, web::Executor>;

constexpr std::size_t largest_answer = 64 * 1024;

// What the head of an answer says; nothing while it has not come whole.
struct Head {
  int status = 0;
  std::size_t size = 0;
  std::optional<std::size_t> body;  // nothing: until the connection ends
};

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<Head> read_head(std::string_view bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) return {};
  Head head{.size = end + 4};
  if (bytes.starts_with("HTTP/1.") && end >= 12) head.status = number<int>(bytes.substr(9, 3)).value_or(0);
  constexpr std::string_view name = "\r\ncontent-length:";
  for (std::size_t at = bytes.find("\r\n"); at < end; at = bytes.find("\r\n", at + 2)) {
    if (!web::equal_ignoring_case(bytes.substr(at, name.size()), name)) continue;
    auto value = bytes.substr(at + name.size(), bytes.find("\r\n", at + 2) - at - name.size());
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    head.body = number<std::size_t>(value);
  }
  return head;
}

bool is_whole(std::string_view bytes) {
  const auto head = read_head(bytes);
  return head && head->body && bytes.size() - head->size >= *head->body;
}

}  // namespace

web::Task<web::Result<LoopbackAnswer>> ask_loopback(std::uint16_t port, std::string_view path,
                                                    std::chrono::milliseconds timeout) {
  const auto executor = co_await asio::this_coro::executor;
  const auto socket = std::make_shared<Socket>(executor);
  web::Timer deadline(executor, timeout);
  deadline.async_wait([socket](boost::system::error_code cancelled) {
    boost::system::error_code ignored;
    if (!cancelled) socket->close(ignored);
  });
  const auto failed = [&](const boost::system::error_code& error) {
    return !socket->is_open() ? web::Error{.kind = web::Kind::timeout,
                                           .message = "nothing came within " + std::to_string(timeout.count()) + " ms"}
                              : web::Error{.kind = web::Kind::bad_gateway, .message = error.message()};
  };

  boost::system::error_code error;
  const asio::ip::tcp::endpoint gateway(asio::ip::address_v4::loopback(), port);
  co_await socket->async_connect(gateway, asio::redirect_error(web::use_task, error));
  if (error) co_return failed(error);
  const auto question = "GET " + std::string(path) + " HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n";
  co_await asio::async_write(*socket, asio::buffer(question), asio::redirect_error(web::use_task, error));
  std::string bytes;
  while (!error && bytes.size() < largest_answer && !is_whole(bytes)) {
    char buffer[1024];
    const auto got = co_await socket->async_read_some(asio::buffer(buffer), asio::redirect_error(web::use_task, error));
    bytes.append(buffer, got);
  }
  if (error && (error != asio::error::eof || bytes.empty())) co_return failed(error);
  const auto head = read_head(bytes);
  if (!head || head->status == 0) {
    web::Error failure{.kind = web::Kind::bad_gateway, .message = "what came is not HTTP"};
    co_return failure;
  }
  LoopbackAnswer answer{.status = head->status, .body = bytes.substr(head->size)};
  co_return answer;
}

}  // namespace watchdog
