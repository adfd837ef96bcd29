#include "web/client/web_socket.h"

#include <openssl/ssl.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>

#include "web/ascii.h"
#include "web/client/dial.h"
#include "web/client/fetch_url.h"

namespace web {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

using ErrorCode = boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr asio::as_tuple_t<asio::use_awaitable_t<Executor>> completed{};
constexpr std::size_t max_waiting = 100;  // messages that were not read yet

// A connection with or without TLS.
struct ClientWire {
  using executor_type = Executor;
  explicit ClientWire(Dialled::Socket connected) : socket(std::move(connected)) {}

  Executor get_executor() { return socket.get_executor(); }
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    if (tls) return tls->async_read_some(buffers, std::forward<Token>(token));
    return socket.async_read_some(buffers, std::forward<Token>(token));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    if (tls) return tls->async_write_some(buffers, std::forward<Token>(token));
    return socket.async_write_some(buffers, std::forward<Token>(token));
  }
  void close() {
    ErrorCode ignored;
    socket.close(ignored);
  }

  Dialled::Socket socket;
  std::shared_ptr<asio::ssl::context> context;
  std::unique_ptr<asio::ssl::stream<Dialled::Socket&>> tls;
};

// Beast calls these when a WebSocket ends; found by argument-dependent look-up.
[[maybe_unused]] void teardown(beast::role_type, ClientWire& wire, ErrorCode& error) {
  error = {};
  wire.close();
}
template <class Handler>
void async_teardown(beast::role_type, ClientWire& wire, Handler&& handler) {
  wire.close();
  asio::post(wire.get_executor(),
             [handler = std::forward<Handler>(handler)]() mutable { std::move(handler)(ErrorCode{}); });
}
[[maybe_unused]] void beast_close_socket(ClientWire& wire) { wire.close(); }

// Kept alive by the read in progress, too.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Dialled dialled, const WebSocketRequest& request, Destination to)
      : to_(std::move(to)),
        passage_(std::move(dialled.passage)),
        stream_(std::move(dialled.socket)),
        arrived_(stream_.get_executor()) {
    websocket::stream_base::timeout times{request.timeout, websocket::stream_base::none(), false};
    if (request.idle.count() > 0) {
      times.idle_timeout = request.idle;
      times.keep_alive_pings = true;
    }
    stream_.set_option(times);
    stream_.set_option(websocket::stream_base::decorator([agent = request.user_agent](websocket::request_type& head) {
      if (!agent.empty()) head.set("User-Agent", agent);
    }));
    stream_.read_message_max(request.max_bytes);
  }

  Task<Result<void>> start(std::string target, std::chrono::milliseconds timeout) {
    auto& wire = stream_.next_layer();
    Timer timer(wire.get_executor(), timeout);
    timer.async_wait([self = shared_from_this()](ErrorCode cancelled) {
      if (!cancelled) self->stream_.next_layer().close();
    });
    if (to_.scheme == "https") {
      wire.context = client_context(to_);
      wire.tls = std::make_unique<asio::ssl::stream<Dialled::Socket&>>(wire.socket, *wire.context);
      SSL_set_tlsext_host_name(wire.tls->native_handle(), to_.host.c_str());
      wire.tls->set_verify_mode(asio::ssl::verify_peer);
      wire.tls->set_verify_callback(asio::ssl::host_name_verification(to_.host));
      const auto [failed] = co_await wire.tls->async_handshake(asio::ssl::stream_base::client, completed);
      if (failed) co_return bad_gateway("No secure connection to " + to_.host + " could be made: " + failed.message());
    }
    const bool is_usual = to_.port == (to_.scheme == "https" ? 443 : 80);
    const auto host = is_usual ? to_.host : to_.host + ":" + std::to_string(to_.port);
    websocket::response_type answer;
    const auto [failed] = co_await stream_.async_handshake(answer, host, target, completed);
    if (failed == websocket::error::upgrade_declined)
      co_return bad_gateway(to_.host + " opened no WebSocket: it answered with status " +
                            std::to_string(answer.result_int()) + ".");
    if (failed) co_return bad_gateway(to_.host + " opened no WebSocket: " + failed.message() + ".");
    pump();
    co_return Result<void>();
  }

  Task<Result<std::optional<std::string>>> read(Clock::time_point deadline) {
    for (;;) {
      if (!messages_.empty()) {
        std::optional<std::string> message = std::move(messages_.front());
        messages_.pop_front();
        pump();
        co_return message;
      }
      if (failure_) co_return bad_gateway(reason());
      if (Clock::now() >= deadline) co_return std::optional<std::string>();
      arrived_.expires_at(deadline);
      ErrorCode woken;
      co_await arrived_.async_wait(asio::redirect_error(use_task, woken));
    }
  }

  Task<Result<void>> write(std::string text) {
    if (failure_) co_return bad_gateway(reason());
    stream_.text(true);
    const auto [failed, size] = co_await stream_.async_write(asio::buffer(text), completed);
    passage_.add_bytes(std::int64_t(text.size()), 0);
    if (failed) co_return bad_gateway("The connection to " + to_.host + " broke: " + failed.message() + ".");
    co_return Result<void>();
  }

  std::uint16_t close_code() const { return close_code_; }
  void end() { stream_.next_layer().close(); }

 private:
  void pump() {
    if (is_reading_ || failure_ || messages_.size() >= max_waiting) return;
    is_reading_ = true;
    stream_.async_read(buffer_, [self = shared_from_this()](ErrorCode failed, std::size_t) { self->take(failed); });
  }
  void take(ErrorCode failed) {
    is_reading_ = false;
    if (failed) {
      failure_ = failed;
      if (failed == websocket::error::closed) close_code_ = stream_.reason().code;
    } else {
      messages_.push_back(beast::buffers_to_string(buffer_.data()));
      passage_.add_bytes(0, std::int64_t(buffer_.size()));
      buffer_.consume(buffer_.size());
    }
    arrived_.cancel();
    pump();
  }
  std::string reason() const {
    if (close_code_ != 0) return to_.host + " closed the connection with code " + std::to_string(close_code_) + ".";
    return "The connection to " + to_.host + " ended: " + failure_.message() + ".";
  }

  const Destination to_;
  Outbound::Passage passage_;
  websocket::stream<ClientWire> stream_;
  Timer arrived_;  // cancelled when something has arrived
  beast::flat_buffer buffer_;
  std::deque<std::string> messages_;
  ErrorCode failure_;
  std::uint16_t close_code_ = 0;
  bool is_reading_ = false;
};

class Open final : public ClientWebSocket {
 public:
  explicit Open(std::shared_ptr<Session> session) : session_(std::move(session)) {}
  ~Open() override { session_->end(); }

  Task<Result<std::optional<std::string>>> read(Clock::time_point deadline) override {
    return session_->read(deadline);
  }
  Task<Result<void>> write(std::string text) override { return session_->write(std::move(text)); }
  std::uint16_t close_code() const override { return session_->close_code(); }

 private:
  const std::shared_ptr<Session> session_;
};

}  // namespace

Task<Result<std::unique_ptr<ClientWebSocket>>> open_web_socket(WebSocketRequest request) {
  // The parser of fetch() knows only the web's schemes.
  auto address = request.url;
  if (starts_ignoring_case(address, "wss://"))
    address = "https" + address.substr(3);
  else if (starts_ignoring_case(address, "ws://"))
    address = "http" + address.substr(2);
  else
    co_return invalid("the address of a WebSocket must begin with ws:// or wss://");
  const auto url = parse_fetch_url(address);
  if (!url) co_return url.error();
  Destination to{.scheme = url->scheme, .host = url->host, .port = url->port_number()};
  const auto path = url->text.find('/', url->scheme.size() + 3);
  auto target = path == std::string::npos ? std::string("/") : url->text.substr(path);
  target = target.substr(0, target.find('#'));
  auto dialled = co_await dial(request.origin, to, request.reach != Reach::public_only);
  if (!dialled) co_return dialled.error();
  const auto session = std::make_shared<Session>(std::move(*dialled), request, std::move(to));
  auto open = std::make_unique<Open>(session);
  const auto started = co_await session->start(std::move(target), request.timeout);
  if (!started) co_return started.error();
  co_return std::unique_ptr<ClientWebSocket>(std::move(open));
}

}  // namespace web
