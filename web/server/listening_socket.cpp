#include "web/server/listening_socket.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/ip/v6_only.hpp>
#include <charconv>
#include <stdexcept>

namespace web {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};

HostPort split(const std::string& listen) {
  auto bad = [&] {
    return std::runtime_error("cannot listen on \"" + listen +
                              "\": give host and port, for example 127.0.0.1:3000 or [::1]:3000");
  };
  auto colon = listen.rfind(':');
  if (colon == std::string::npos || colon == 0) throw bad();
  HostPort result{.host = listen.substr(0, colon)};
  auto* end = listen.data() + listen.size();
  auto parsed = std::from_chars(listen.data() + colon + 1, end, result.port);
  if (parsed.ec != std::errc() || parsed.ptr != end) throw bad();
  if (result.host.starts_with('[') && result.host.ends_with(']')) {
    result.host = result.host.substr(1, result.host.size() - 2);
  } else if (result.host.find(':') != std::string::npos) {
    throw bad();
  }
  return result;
}

std::runtime_error bind_error(const tcp::endpoint& endpoint, const error_code& error) {
  auto port = std::to_string(endpoint.port());
  auto address = endpoint.address().to_string();
  if (error == asio::error::address_in_use) {
    return std::runtime_error("port " + port + " is in use: stop the program that listens on " + address +
                              ", or choose another port (0 picks a free one)");
  }
  if (error == asio::error::access_denied) {
    return std::runtime_error("port " + port + " may not be opened: ports below 1024 need more rights, choose another");
  }
  if (error == boost::system::errc::address_not_available) {
    return std::runtime_error("cannot listen on " + address +
                              ": it is not an address of this machine, choose one that is " +
                              "(127.0.0.1 for itself alone, 0.0.0.0 for all)");
  }
  return std::runtime_error("cannot listen on " + address + " port " + port + ": " + error.message());
}

void check(const tcp::endpoint& endpoint, const error_code& error) {
  if (error) throw bind_error(endpoint, error);
}

Acceptor open(const tcp::endpoint& endpoint, asio::io_context& context, bool shared) {
  error_code error;
  Acceptor acceptor(context.get_executor());
  acceptor.open(endpoint.protocol(), error);
  check(endpoint, error);
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (shared) acceptor.set_option(ReusePort(true), error);
  acceptor.set_option(tcp::no_delay(true), error);  // accepted sockets inherit it
  if (endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
  acceptor.bind(endpoint, error);
  check(endpoint, error);
  acceptor.listen(longest_queue, error);
  check(endpoint, error);
  acceptor.native_non_blocking(true, error);  // accepted from without waiting
  check(endpoint, error);
  return acceptor;
}

}  // namespace

ListeningSocket::ListeningSocket(const std::string& listen)
    : acceptor_(open(resolve_listen(listen, context_), context_, false)) {}

std::string ListeningSocket::url() const { return url_of(acceptor_.local_endpoint(), false); }

tcp::endpoint resolve_listen(const std::string& listen, asio::io_context& context) {
  auto [host, port] = split(listen);
  error_code error;
  auto address = asio::ip::make_address(host, error);
  if (!error) return {address, port};
  tcp::resolver resolver(context);
  auto found = resolver.resolve(host, std::to_string(port), error);
  if (error || found.empty()) throw std::runtime_error("cannot listen on \"" + listen + "\": unknown host " + host);
  return found.begin()->endpoint();
}

void probe(const tcp::endpoint& endpoint, asio::io_context& context) { open(endpoint, context, false); }

Acceptor open_shared_acceptor(const tcp::endpoint& endpoint, asio::io_context& context) {
  return open(endpoint, context, true);
}

Acceptor borrow_acceptor(int listening_socket, asio::io_context& context) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  const int copy = ::getsockname(listening_socket, reinterpret_cast<sockaddr*>(&address), &size) == 0
                       ? ::fcntl(listening_socket, F_DUPFD_CLOEXEC, 0)
                       : -1;
  if (copy < 0) throw std::runtime_error("cannot listen on the socket handed down: it is not one");
  Acceptor acceptor(context.get_executor(), address.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), copy);
  acceptor.native_non_blocking(true);  // accepted from without waiting
  error_code ignored;
  acceptor.set_option(tcp::no_delay(true), ignored);  // accepted sockets inherit it
  return acceptor;
}

bool ignore_new_clients(Acceptor& acceptor) {
  // The filter sees packets from their TCP header on. Accepted sockets inherit it, whose packets are never a SYN.
  constexpr std::uint32_t flags_at = 13, syn = 0x02, drop = 0, whole = 0xffffffff;
  std::array<sock_filter, 4> code{{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, flags_at),
                                   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, syn, 0, 1), BPF_STMT(BPF_RET | BPF_K, drop),
                                   BPF_STMT(BPF_RET | BPF_K, whole)}};
  const sock_fprog program{.len = code.size(), .filter = code.data()};
  return ::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

std::string url_of(const tcp::endpoint& endpoint, bool tls) {
  auto address = endpoint.address();
  bool any = address.is_unspecified();
  auto host = address.is_v4() ? (any ? "127.0.0.1" : address.to_string())
                              : "[" + (any ? std::string("::1") : address.to_string()) + "]";
  return (tls ? "https://" : "http://") + host + ":" + std::to_string(endpoint.port());
}

}  // namespace web
