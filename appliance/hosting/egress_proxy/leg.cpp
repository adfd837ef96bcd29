#include "appliance/hosting/egress_proxy/leg.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>
#include <charconv>

#include "web/ascii.h"
#include "web/client/address.h"
#include "web/client/authorities.h"

namespace egress_proxy {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using web::Result;
using web::Task;

constexpr asio::as_tuple_t<asio::use_awaitable_t<web::Executor>> use_tuple{};
constexpr std::size_t block_bytes = 64u << 10;
constexpr std::chrono::seconds connect_time{5};
constexpr std::uint16_t web_ports[] = {80, 443, 8080, 8443};

using Resolver = asio::ip::basic_resolver<tcp, web::Executor>;

web::Error not_public(const Destination& to) {
  return web::forbidden(to.host + ":" + std::to_string(to.port) + " is not a public address with a web port.");
}

// Closes the socket if it is not connected in time.
Task<ErrorCode> connect(Socket& socket, tcp::endpoint to) {
  web::Timer timer(socket.get_executor(), connect_time);
  timer.async_wait([&socket](ErrorCode cancelled) {
    ErrorCode ignored;
    if (!cancelled) socket.close(ignored);
  });
  const auto [failed] = co_await socket.async_connect(to, use_tuple);
  timer.cancel();
  co_return failed;
}

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

Task<ErrorCode> Leg::read_more() {
  const auto space = input.prepare(block_bytes);
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

Task<Result<Dialled>> dial(web::CallOrigin origin, Destination to, bool may_be_private) {
  if (!may_be_private && std::ranges::find(web_ports, to.port) == std::end(web_ports)) co_return not_public(to);
  auto passage = web::outbound().admit(origin, to.host, to.port);
  if (!passage) co_return passage.error();
  const web::Executor executor = co_await asio::this_coro::executor;
  std::vector<tcp::endpoint> endpoints;
  auto literal = to.host;
  if (literal.starts_with('[') && literal.ends_with(']')) literal = literal.substr(1, literal.size() - 2);
  ErrorCode is_name;
  if (const auto address = asio::ip::make_address(literal, is_name); !is_name) {
    endpoints.emplace_back(address, to.port);
  } else {
    Resolver resolver(executor);
    const auto port = std::to_string(to.port);
    const auto [failed, found] = co_await resolver.async_resolve(to.host, port, use_tuple);
    if (failed) co_return web::bad_gateway("The address of " + to.host + " was not found.");
    for (const auto& one : found) endpoints.push_back(one.endpoint());
  }
  if (!may_be_private)
    std::erase_if(endpoints, [](const tcp::endpoint& one) { return !web::is_public_address(one.address()); });
  if (endpoints.empty()) co_return not_public(to);
  ErrorCode failed;
  for (const auto& endpoint : endpoints) {
    Socket socket(executor);
    failed = co_await connect(socket, endpoint);
    if (failed) continue;
    ErrorCode ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    co_return Dialled(std::move(socket), std::move(*passage));
  }
  co_return web::bad_gateway("No connection to " + to.host + ": " + failed.message() + ".");
}

std::shared_ptr<asio::ssl::context> client_context(const Destination& to) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  ErrorCode ignored;
  if (const auto only = web::only_authorities_of(to.host + ":" + std::to_string(to.port))) {
    context->load_verify_file(*only, ignored);
    return context;
  }
  context->set_default_verify_paths(ignored);
  if (const auto* extra = web::extra_authorities()) context->load_verify_file(extra, ignored);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  static constexpr unsigned char http_1_1[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context->native_handle(), http_1_1, sizeof http_1_1 - 1);
  return context;
}

}  // namespace egress_proxy
