#include "appliance/files/explorer/git/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>

#include "appliance/files/explorer/git/traffic.h"

namespace git {

namespace {

// How soon a push notices that the box stops.
constexpr int slice_ms = 100;

}  // namespace

int Connection::open() {
  const web::CallOrigin origin{.part = "git"};
  auto passage = web::outbound().admit(origin, route_.host, route_.port);
  if (!passage) return EACCES;
  passage_.emplace(std::move(*passage));
  int error = EHOSTUNREACH;
  for (const auto& address : route_.addresses) {
    error = connect_to(address);
    if (error == 0) return 0;
  }
  fd_.reset();
  return error;
}

void Connection::close() {
  if (fd_ && passage_) {
    const auto traffic = traffic_of(fd_.get());
    passage_->add_bytes(traffic.sent, traffic.received);
  }
  passage_.reset();
  fd_.reset();
}

int Connection::wait_for(short events) const {
  while (!deadline_.is_over()) {
    pollfd waiting{.fd = fd_.get(), .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, slice_ms);
    if (ready > 0) return 1;
    if (ready < 0 && errno != EINTR) return -1;
  }
  return 0;
}

// 0, or errno.
int Connection::connect_to(const boost::asio::ip::address& address) {
  const boost::asio::ip::tcp::endpoint peer(address, route_.port);
  fd_.reset(::socket(peer.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd_) return errno;
  const int at_once = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  if (::connect(fd_.get(), peer.data(), static_cast<socklen_t>(peer.size())) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  const int ready = wait_for(POLLOUT);
  if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

}  // namespace git
