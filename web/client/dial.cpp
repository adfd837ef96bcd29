#include "web/client/dial.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <vector>

#include "web/client/address.h"
#include "web/client/authorities.h"

namespace web {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr asio::as_tuple_t<asio::use_awaitable_t<Executor>> as_tuple{};
constexpr std::chrono::seconds connect_time{5};

using Resolver = asio::ip::basic_resolver<tcp, Executor>;

Error not_public(const Destination& to) {
  return forbidden(to.host + ":" + std::to_string(to.port) + " is not a public address with a web port.");
}

// Closes the socket if it is not connected in time.
Task<ErrorCode> connect(Dialled::Socket& socket, tcp::endpoint to) {
  Timer timer(socket.get_executor(), connect_time);
  timer.async_wait([&socket](ErrorCode cancelled) {
    ErrorCode ignored;
    if (!cancelled) socket.close(ignored);
  });
  const auto [failed] = co_await socket.async_connect(to, as_tuple);
  timer.cancel();
  co_return failed;
}

}  // namespace

Task<Result<Dialled>> dial(CallOrigin origin, Destination to, bool may_be_private,
                           std::span<const std::uint16_t> ports) {
  if (!may_be_private && std::ranges::count(ports, to.port) == 0) co_return not_public(to);
  auto passage = outbound().admit(origin, to.host, to.port);
  if (!passage) co_return passage.error();
  const Executor executor = co_await asio::this_coro::executor;
  std::vector<tcp::endpoint> endpoints;
  auto literal = to.host;
  if (literal.starts_with('[') && literal.ends_with(']')) literal = literal.substr(1, literal.size() - 2);
  ErrorCode is_name;
  if (const auto address = asio::ip::make_address(literal, is_name); !is_name) {
    endpoints.emplace_back(address, to.port);
  } else {
    Resolver resolver(executor);
    const auto port = std::to_string(to.port);
    const auto [failed, found] = co_await resolver.async_resolve(to.host, port, as_tuple);
    if (failed) co_return bad_gateway("The address of " + to.host + " was not found.");
    for (const auto& one : found) endpoints.push_back(one.endpoint());
  }
  if (!may_be_private)
    std::erase_if(endpoints, [](const tcp::endpoint& one) { return !is_public_address(one.address()); });
  if (endpoints.empty()) co_return not_public(to);
  ErrorCode failed;
  for (const auto& endpoint : endpoints) {
    Dialled::Socket socket(executor);
    failed = co_await connect(socket, endpoint);
    if (failed) continue;
    ErrorCode ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    co_return Dialled(std::move(socket), std::move(*passage));
  }
  co_return bad_gateway("No connection to " + to.host + ": " + failed.message() + ".");
}

std::shared_ptr<asio::ssl::context> client_context(const Destination& to) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  ErrorCode ignored;
  if (const auto only = only_authorities_of(to.host + ":" + std::to_string(to.port))) {
    context->load_verify_file(*only, ignored);
    return context;
  }
  context->set_default_verify_paths(ignored);
  if (const auto* extra = extra_authorities()) context->load_verify_file(extra, ignored);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  if (to.scheme == "tcp") return context;
  static constexpr unsigned char http_1_1[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context->native_handle(), http_1_1, sizeof http_1_1 - 1);
  return context;
}

}  // namespace web
