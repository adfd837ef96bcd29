#include "appliance/explorer/git/remote_stream.h"

#include <git2/sys/stream.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "appliance/explorer/git/handles.h"
#include "appliance/files/descriptor.h"
#include "web/ascii.h"

namespace git {

namespace {

// How soon a push notices that the box stops.
constexpr int slice_ms = 100;

thread_local const Route* current_route = nullptr;
thread_local const Patience* current_patience = nullptr;

int refuse(const std::string& reason) {
  git_error_set_str(GIT_ERROR_NET, reason.c_str());
  return -1;
}

int refuse_too_late() { return refuse("the remote did not answer in time"); }

// libgit2 knows it as its first member.
struct Socket {
  git_stream stream{};
  files::Descriptor fd;
  const Route* route = nullptr;
  const Patience* patience = nullptr;

  static Socket& of(git_stream* stream) { return *reinterpret_cast<Socket*>(stream); }

  // 1: ready; 0: too late; -1: errno.
  int wait_for(short events) const {
    while (!patience->is_over()) {
      pollfd waiting{.fd = fd.get(), .events = events, .revents = 0};
      const int ready = ::poll(&waiting, 1, slice_ms);
      if (ready > 0) return 1;
      if (ready < 0 && errno != EINTR) return -1;
    }
    return 0;
  }

  // 0, or errno.
  int connect_to(const boost::asio::ip::address& address) {
    const boost::asio::ip::tcp::endpoint peer(address, route->port);
    fd.reset(::socket(peer.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return errno;
    const int at_once = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    if (::connect(fd.get(), peer.data(), static_cast<socklen_t>(peer.size())) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    const int ready = wait_for(POLLOUT);
    if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }
};

int connect_socket(git_stream* stream) {
  auto& socket = Socket::of(stream);
  int error = EHOSTUNREACH;
  for (const auto& address : socket.route->addresses) {
    error = socket.connect_to(address);
    if (error == 0) return 0;
  }
  socket.fd.reset();
  return refuse("the remote cannot be reached: " + std::string(std::strerror(error)));
}

ssize_t read_socket(git_stream* stream, void* bytes, std::size_t size) {
  const auto& socket = Socket::of(stream);
  for (;;) {
    const auto got = ::recv(socket.fd.get(), bytes, size, 0);
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return refuse("the remote cut the connection");
    if (socket.wait_for(POLLIN) != 1) return refuse_too_late();
  }
}

ssize_t write_socket(git_stream* stream, const char* bytes, std::size_t size, int flags) {
  const auto& socket = Socket::of(stream);
  for (;;) {
    const auto sent = ::send(socket.fd.get(), bytes, size, flags | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return refuse("the remote cut the connection");
    if (socket.wait_for(POLLOUT) != 1) return refuse_too_late();
  }
}

int close_socket(git_stream* stream) {
  Socket::of(stream).fd.reset();
  return 0;
}

void free_socket(git_stream* stream) { delete &Socket::of(stream); }

bool leads_to(const Route& route, std::string_view host, std::string_view port) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_number = error == std::errc() && end == port.data() + port.size();
  return is_number && number == route.port && web::equal_ignoring_case(host, route.host);
}

int make_socket(git_stream** out, const char* host, const char* port) {
  if (!current_route || !leads_to(*current_route, host, port)) return refuse("this is not the way to the remote");
  auto socket = std::make_unique<Socket>();
  socket->stream.version = GIT_STREAM_VERSION;
  socket->stream.connect = connect_socket;
  socket->stream.read = read_socket;
  socket->stream.write = write_socket;
  socket->stream.close = close_socket;
  socket->stream.free = free_socket;
  socket->route = current_route;
  socket->patience = current_patience;
  *out = &socket.release()->stream;
  return 0;
}

}  // namespace

OnRoute::OnRoute(const Route& route, const Patience& patience) {
  current_route = &route;
  current_patience = &patience;
}

OnRoute::~OnRoute() {
  current_route = nullptr;
  current_patience = nullptr;
}

void register_remote_stream() {
  git_stream_registration registration{.version = GIT_STREAM_VERSION, .init = make_socket, .wrap = nullptr};
  check(git_stream_register(GIT_STREAM_STANDARD, &registration), "take over its sockets");
}

}  // namespace git
