// One byte stream to a peer: a TCP socket, with or without TLS, with a deadline for pending operations.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "web/server/deadlines.h"

namespace web {

using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using error_code = boost::system::error_code;

// Completes as std::tuple<error_code, ...> instead of throwing.
inline constexpr boost::asio::as_tuple_t<boost::asio::use_awaitable_t<Executor>> use_tuple{};

// When the deadline passes, pending operations fail and `expired` stays true: no more reads and writes (except
// try_write).
class Wire final : public Deadline {
 public:
  using executor_type = Executor;
  Wire(Socket socket, Deadlines& deadlines) : socket_(std::move(socket)) { deadlines.add(*this); }
  ~Wire() override = default;

  Socket& socket() { return socket_; }
  bool secure() const { return tls_ != nullptr; }
  bool expired() const { return expired_; }
  Executor get_executor() { return socket_.get_executor(); }

  // Before the handshake: waits for the first byte, and returns whether it begins a request without TLS. False at the
  // deadline, and if the peer has closed.
  Task<bool> begins_without_tls();
  // Starts TLS as the server.
  Task<error_code> handshake(boost::asio::ssl::context&);

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    if (tls_) return tls_->async_read_some(buffers, std::forward<Token>(token));
    return socket_.async_read_some(buffers, std::forward<Token>(token));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    if (tls_) return tls_->async_write_some(buffers, std::forward<Token>(token));
    return socket_.async_write_some(buffers, std::forward<Token>(token));
  }

  // Completes when there are bytes to read, or the peer has closed. At the deadline it fails, but the wire does not
  // expire. Not under TLS.
  template <class Token>
  auto async_readable(Token&& token) {
    resting_ = true;
    return socket_.async_wait(Socket::wait_read, std::forward<Token>(token));
  }
  enum class State { open, closed };
  // Reads what has arrived, without waiting; `size` is 0 if nothing has. Not under TLS.
  State try_read(boost::asio::mutable_buffer, std::size_t& size);
  // How long ago the kernel received the newest bytes; 0 if it does not know. In steps of a few milliseconds.
  Clock::duration time_since_data();

  // Writes as many bytes as the kernel accepts without waiting, and returns their number. 0 under TLS.
  std::size_t try_write(std::string_view);
  // Writes both buffers completely, in one call if possible. Fails after `limit` without progress.
  Task<error_code> write(std::string_view first, std::string_view second, Clock::duration limit);

  // Ends our direction; the peer may still send.
  Task<> finish(Clock::duration limit);
  // finish(), then reads and discards the peer's bytes until it closes or `limit` has passed. Closing at once would let
  // the kernel reset the connection and discard our last response.
  Task<> linger(Clock::duration limit);
  void close();
  // Gives the open socket away; none if it has been closed.
  std::optional<int> release();

 private:
  void expire() override;

  Socket socket_;
  std::unique_ptr<boost::asio::ssl::stream<Socket&>> tls_;
  bool expired_ = false, resting_ = false;
};

}  // namespace web
