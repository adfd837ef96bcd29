#include "web/server/websocket.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "web/protocol/request_head.h"
#include "web/server/async_mutex.h"

namespace web {

namespace beast = boost::beast;

// Beast calls these when a WebSocket ends; found by argument-dependent look-up.
void teardown(beast::role_type, Wire& wire, beast::error_code& error) {
  error = {};
  wire.close();
}
template <class Handler>
void async_teardown(beast::role_type, Wire& wire, Handler&& handler) {
  wire.close();
  boost::asio::post(wire.get_executor(),
                    [handler = std::forward<Handler>(handler)]() mutable { std::move(handler)(beast::error_code{}); });
}

void beast_close_socket(Wire& wire) { wire.close(); }

namespace {

constexpr std::size_t max_message_bytes = 1u << 20;

class BeastWebSocket final : public AcceptedWebSocket, public std::enable_shared_from_this<BeastWebSocket> {
 public:
  BeastWebSocket(Wire& wire, const Request& request, const Response& response, std::chrono::milliseconds idle)
      : stream_(wire), writing_(wire.get_executor()) {
    handshake_.method(beast::http::verb::get);
    handshake_.target(origin_form(request));
    for (const auto& [name, value] : request.headers) handshake_.insert(name, value);
    stream_.set_option(beast::websocket::stream_base::timeout{std::chrono::seconds(10), idle, true});
    stream_.set_option(beast::websocket::stream_base::decorator([&response](beast::websocket::response_type& head) {
      for (const auto& [name, value] : response.headers) head.insert(name, value);
    }));
    stream_.read_message_max(max_message_bytes);
  }

  Task<bool> accept() override {
    const auto [error] = co_await stream_.async_accept(handshake_, use_tuple);
    co_return !error;
  }

  Task<std::optional<Message>> read() override {
    beast::flat_buffer buffer;
    const auto [error, size] = co_await stream_.async_read(buffer, use_tuple);
    if (error) co_return std::nullopt;  // closed, cut or too long: Beast has sent the close code
    co_return Message{.data = beast::buffers_to_string(buffer.data()), .text = stream_.got_text()};
  }

  Task<> write(Message message) override {
    co_await writing_.lock();
    const Unlock unlock(writing_);
    stream_.text(message.text);
    const auto [error, size] = co_await stream_.async_write(boost::asio::buffer(message.data), use_tuple);
    if (error) throw boost::system::system_error(error);
  }

  Task<> close(std::uint16_t code, std::string reason) override {
    if (!stream_.is_open() || std::exchange(closing_, true)) co_return;  // Beast allows one close
    beast::websocket::close_reason why(code);
    why.reason.assign(reason.data(), std::min(reason.size(), why.reason.max_size()));
    co_await stream_.async_close(why, use_tuple);
  }

  void close_soon(Executor executor, std::shared_ptr<void> self) override {
    boost::asio::co_spawn(
        executor,
        [](std::shared_ptr<BeastWebSocket> socket, std::shared_ptr<void>) -> Task<> {
          co_await socket->close(beast::websocket::close_code::going_away, "The box is stopping");
        }(shared_from_this(), std::move(self)),
        boost::asio::detached);
  }

 private:
  beast::websocket::stream<Wire&> stream_;
  beast::http::request<beast::http::empty_body> handshake_;
  AsyncMutex writing_;  // Beast allows one write at a time
  bool closing_ = false;
};

}  // namespace

std::shared_ptr<AcceptedWebSocket> open_websocket(Wire& wire, const Request& request, const Response& response,
                                                  std::chrono::milliseconds idle) {
  return std::make_shared<BeastWebSocket>(wire, request, response, idle);
}

}  // namespace web
