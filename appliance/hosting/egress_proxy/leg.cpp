#include "appliance/hosting/egress_proxy/leg.h"

#include <openssl/ssl.h>
#include <poll.h>

#include <algorithm>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>
#include <charconv>

#include "web/ascii.h"

namespace egress_proxy {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using web::Result;
using web::Task;

constexpr asio::as_tuple_t<asio::use_awaitable_t<web::Executor>> use_tuple{};

}  // namespace

Task<ErrorCode> Leg::accept_tls(asio::ssl::context& context) {
  tls_ = std::make_unique<asio::ssl::stream<Socket&>>(socket_, context);
  const auto [failed] = co_await tls_->async_handshake(asio::ssl::stream_base::server, use_tuple);
  co_return failed;
}

Task<ErrorCode> Leg::start_tls(asio::ssl::context& context, const std::string& host) {
  tls_ = std::make_unique<asio::ssl::stream<Socket&>>(socket_, context);
  SSL_set_tlsext_host_name(tls_->native_handle(), host.c_str());
  tls_->set_verify_mode(asio::ssl::verify_peer);
  tls_->set_verify_callback(asio::ssl::host_name_verification(host));
  const auto [failed] = co_await tls_->async_handshake(asio::ssl::stream_base::client, use_tuple);
  co_return failed;
}

Task<ErrorCode> Leg::read_more(std::size_t block) {
  const auto space = input.prepare(block);
  ErrorCode failed;
  std::size_t got = 0;
  if (tls_)
    std::tie(failed, got) = co_await tls_->async_read_some(space, use_tuple);
  else
    std::tie(failed, got) = co_await socket_.async_read_some(space, use_tuple);
  input.commit(got);
  bytes_read += std::int64_t(got);
  co_return failed;
}

Task<ErrorCode> Leg::write(std::string_view bytes) {
  ErrorCode failed;
  std::size_t sent = 0;
  if (tls_)
    std::tie(failed, sent) = co_await asio::async_write(*tls_, asio::buffer(bytes), use_tuple);
  else
    std::tie(failed, sent) = co_await asio::async_write(socket_, asio::buffer(bytes), use_tuple);
  bytes_written += std::int64_t(sent);
  co_return failed;
}

bool Leg::has_ended() {
  pollfd state{.fd = socket_.is_open() ? socket_.native_handle() : -1, .events = POLLRDHUP, .revents = 0};
  return state.fd < 0 || ::poll(&state, 1, 0) != 0;
}

void Leg::finish() {
  ErrorCode ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void Leg::close() {
  ErrorCode ignored;
  socket_.close(ignored);
}

std::optional<Destination> destination_of(std::string_view authority, std::string_view scheme) {
  Destination to{.scheme = std::string(scheme), .host = {}, .port = std::uint16_t(scheme == "https" ? 443 : 80)};
  auto host = authority;
  const auto bracket = authority.rfind(']');
  if (const auto colon = authority.rfind(':');
      colon != authority.npos && (bracket == authority.npos || colon > bracket)) {
    const auto text = authority.substr(colon + 1);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), to.port);
    if (failed != std::errc() || end != text.data() + text.size() || to.port == 0) return std::nullopt;
    host = authority.substr(0, colon);
  }
  constexpr std::size_t longest = 253;
  const auto is_part = [](char c) {
    return web::is_alphanumeric(c) || std::string_view("-._:[]").find(c) != std::string_view::npos;
  };
  if (host.empty() || host.size() > longest || !std::ranges::all_of(host, is_part)) return std::nullopt;
  if (host.ends_with('.')) host.remove_suffix(1);
  to.host = web::lower_case(host);
  return to;
}

}  // namespace egress_proxy
