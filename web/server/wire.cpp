#include "web/server/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "web/server/acme_challenges.h"

namespace web {

namespace asio = boost::asio;

namespace {

bool is_validation(const SSL* ssl) {
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl, &chosen, &size);
  return std::string_view(reinterpret_cast<const char*>(chosen), size) == acme_tls_protocol;
}

}  // namespace

Task<bool> Wire::begins_without_tls() {
  const auto [error] = co_await socket_.async_wait(Socket::wait_read, use_tuple);
  if (error || expired_) co_return false;
  char first = 0;
  const auto got = ::recv(socket_.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  // A method begins with a letter; no record of TLS does.
  co_return got == 1 && ((first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z'));
}

Task<error_code> Wire::handshake(asio::ssl::context& context) {
  tls_ = std::make_unique<asio::ssl::stream<Socket&>>(socket_, context);
  auto [error] = co_await tls_->async_handshake(asio::ssl::stream_base::server, use_tuple);
  if (!error && expired_) error = asio::error::timed_out;
  // The handshake was all that a certificate authority wanted.
  if (!error && is_validation(tls_->native_handle())) error = asio::error::eof;
  co_return error;
}

Wire::State Wire::try_read(asio::mutable_buffer into, std::size_t& size) {
  resting_ = false;
  const auto got = ::recv(socket_.native_handle(), into.data(), into.size(), MSG_DONTWAIT);
  size = got > 0 ? static_cast<std::size_t>(got) : 0;
  const bool is_open = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  return is_open ? State::open : State::closed;
}

Clock::duration Wire::time_since_data() {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return std::chrono::milliseconds(info.tcpi_last_data_recv);
}

std::size_t Wire::try_write(std::string_view bytes) {
  if (tls_ || bytes.empty()) return 0;
  auto sent = ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

Task<error_code> Wire::write(std::string_view first, std::string_view second, Clock::duration limit) {
  while (!first.empty() || !second.empty()) {
    if (expired_) co_return asio::error::timed_out;
    arm(limit);
    std::array<asio::const_buffer, 2> buffers{asio::buffer(first), asio::buffer(second)};
    auto [error, sent] = co_await async_write_some(buffers, use_tuple);
    disarm();
    if (error) co_return expired_ ? error_code(asio::error::timed_out) : error;
    auto of_first = std::min(sent, first.size());
    first.remove_prefix(of_first);
    second.remove_prefix(sent - of_first);
  }
  co_return error_code{};
}

Task<> Wire::finish(Clock::duration limit) {
  if (expired_ || !socket_.is_open()) co_return;
  if (tls_) {
    // Sends our close_notify without waiting for the peer's.
    arm(std::min<Clock::duration>(limit, std::chrono::seconds(1)));
    co_await tls_->async_shutdown(use_tuple);
    disarm();
  }
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

Task<> Wire::linger(Clock::duration limit) {
  co_await finish(limit);
  auto dropped = std::make_unique_for_overwrite<char[]>(4096);
  arm(limit);
  for (std::size_t total = 0; total < 8u << 20 && !expired_;) {
    auto [error, size] = co_await socket_.async_read_some(asio::buffer(dropped.get(), 4096), use_tuple);
    if (error) break;
    total += size;
  }
  disarm();
}

void Wire::close() {
  error_code ignored;
  socket_.close(ignored);
}

std::optional<int> Wire::release() {
  if (!socket_.is_open()) return std::nullopt;
  error_code error;
  const auto socket = socket_.release(error);
  if (error) return std::nullopt;
  return socket;
}

void Wire::expire() {
  expired_ = !resting_;
  error_code ignored;
  socket_.cancel(ignored);
}

}  // namespace web
