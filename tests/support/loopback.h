// A server that can misbehave on purpose: blocking sockets, one thread per connection, no HTTP library.
#pragma once

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace test_support {

// One accepted connection. Errors end a read with "" and a write silently: the scripts below end by themselves.
class Peer {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  explicit Peer(Socket socket) : socket_(std::move(socket)) {}

  // Head and body of the next request; empty when the client has gone.
  std::string read_request() {
    const auto head_end = read_until("\r\n\r\n");
    if (head_end == std::string::npos) return {};
    std::size_t length = 0;
    for (std::string_view name : {"Content-Length: ", "content-length: "}) {
      if (const auto at = buffer_.find(name); at < head_end) {
        std::from_chars(&buffer_[at + name.size()], buffer_.data() + head_end, length);
      }
    }
    while (buffer_.size() < head_end + length && read_some()) {
    }
    std::string request = buffer_.substr(0, head_end + length);
    buffer_.erase(0, head_end + length);
    return request;
  }

  bool send(std::string_view bytes) {
    boost::system::error_code error;
    boost::asio::write(socket_, boost::asio::buffer(bytes), error);
    return !error;
  }
  void answer(std::string_view body, std::string_view headers = {}, std::string_view status = "200 OK") {
    send("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(headers) + "\r\n" + std::string(body));
  }
  // The next bytes, fewer when the client has gone.
  std::string take(std::size_t size) {
    while (buffer_.size() < size && read_some()) {
    }
    auto taken = buffer_.substr(0, size);
    buffer_.erase(0, taken.size());
    return taken;
  }
  // Returns when the client has closed its side.
  void wait_for_close() {
    while (read_some()) {
    }
  }
  // The client sees a reset instead of an end.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void close() {
    const std::lock_guard lock(closing_);
    boost::system::error_code ignored;
    socket_.close(ignored);
  }
  // From another thread than the script's.
  void interrupt() {
    const std::lock_guard lock(closing_);
    ::shutdown(socket_.native_handle(), SHUT_RDWR);
  }

 private:
  bool read_some() {
    char chunk[4096];
    boost::system::error_code error;
    const auto size = socket_.read_some(boost::asio::buffer(chunk), error);
    buffer_.append(chunk, size);
    return !error;
  }
  std::size_t read_until(std::string_view end) {
    for (;;) {
      if (const auto at = buffer_.find(end); at != std::string::npos) return at + end.size();
      if (!read_some()) return std::string::npos;
    }
  }

  std::mutex closing_;
  Socket socket_;
  std::string buffer_;
};

class Loopback {
 public:
  using Script = std::function<void(Peer&)>;

  // Runs `script` for each connection to a free port of 127.0.0.1.
  explicit Loopback(Script script)
      : Loopback(boost::asio::ip::tcp::endpoint{boost::asio::ip::address_v4::loopback(), 0}, std::move(script)) {}
  template <class Endpoint>
  Loopback(const Endpoint& endpoint, Script script) : script_(std::move(script)) {
    typename Endpoint::protocol_type::acceptor acceptor(context_, endpoint);
    if constexpr (requires { acceptor.local_endpoint().port(); }) port_ = acceptor.local_endpoint().port();
    listener_ = acceptor.native_handle();
    accepting_ = std::thread([this, acceptor = std::move(acceptor)]() mutable { accept(acceptor); });
  }
  ~Loopback() {
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    {
      const std::lock_guard lock(mutex_);
      for (auto& peer : peers_) peer.interrupt();
    }
    for (auto& thread : threads_) thread.join();
  }

  std::uint16_t port() const { return port_; }
  std::string url(std::string_view path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
  }
  std::size_t connections() const {
    const std::lock_guard lock(mutex_);
    return peers_.size();
  }

 private:
  template <class Acceptor>
  void accept(Acceptor& acceptor) {
    while (!stopping_) {
      boost::system::error_code error;
      auto socket = acceptor.accept(error);
      if (error) continue;
      const std::lock_guard lock(mutex_);
      auto& peer = peers_.emplace_back(Peer::Socket(std::move(socket)));
      threads_.emplace_back([this, &peer] {
        script_(peer);
        peer.interrupt();
      });
    }
  }

  const Script script_;
  boost::asio::io_context context_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stopping_ = false;
  std::thread accepting_;
  mutable std::mutex mutex_;  // guards the two below
  std::list<Peer> peers_;
  std::vector<std::thread> threads_;
};

// A port of 127.0.0.1 where nobody listens.
inline std::uint16_t closed_port() {
  boost::asio::io_context context;
  return boost::asio::ip::tcp::acceptor(context, {boost::asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

}  // namespace test_support
