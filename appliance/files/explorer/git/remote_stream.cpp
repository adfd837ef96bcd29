#include "appliance/files/explorer/git/remote_stream.h"

#include <git2/sys/stream.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "appliance/files/explorer/git/handles.h"
#include "web/ascii.h"

namespace git {

namespace {

thread_local const Route* current_route = nullptr;
thread_local const Deadline* current_deadline = nullptr;

int refuse(const std::string& reason) {
  git_error_set_str(GIT_ERROR_NET, reason.c_str());
  return -1;
}

int refuse_too_late() { return refuse("the remote did not answer in time"); }

// libgit2 sees only the first member.
struct Socket {
  Socket(const Route& route, const Deadline& deadline) : connection(route, deadline) {}

  git_stream stream{};
  Connection connection;

  static Connection& of(git_stream* stream) { return reinterpret_cast<Socket*>(stream)->connection; }
};

int connect_socket(git_stream* stream) {
  const int error = Socket::of(stream).open();
  return error == 0 ? 0 : refuse("the remote cannot be reached: " + std::string(std::strerror(error)));
}

ssize_t read_socket(git_stream* stream, void* bytes, std::size_t size) {
  const auto& connection = Socket::of(stream);
  for (;;) {
    const auto got = ::recv(connection.fd(), bytes, size, 0);
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return refuse("the remote cut the connection");
    if (connection.wait_for(POLLIN) != 1) return refuse_too_late();
  }
}

ssize_t write_socket(git_stream* stream, const char* bytes, std::size_t size, int flags) {
  const auto& connection = Socket::of(stream);
  for (;;) {
    const auto sent = ::send(connection.fd(), bytes, size, flags | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return refuse("the remote cut the connection");
    if (connection.wait_for(POLLOUT) != 1) return refuse_too_late();
  }
}

int close_socket(git_stream* stream) {
  Socket::of(stream).close();
  return 0;
}

void free_socket(git_stream* stream) { delete reinterpret_cast<Socket*>(stream); }

bool leads_to(const Route& route, std::string_view host, std::string_view port) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_number = error == std::errc() && end == port.data() + port.size();
  return is_number && number == route.port && web::equal_ignoring_case(host, route.host);
}

int make_socket(git_stream** out, const char* host, const char* port) {
  if (!current_route || !leads_to(*current_route, host, port)) return refuse("this is not the way to the remote");
  auto socket = std::make_unique<Socket>(*current_route, *current_deadline);
  socket->stream.version = GIT_STREAM_VERSION;
  socket->stream.connect = connect_socket;
  socket->stream.read = read_socket;
  socket->stream.write = write_socket;
  socket->stream.close = close_socket;
  socket->stream.free = free_socket;
  *out = &socket.release()->stream;
  return 0;
}

}  // namespace

OnRoute::OnRoute(const Route& route, const Deadline& deadline) {
  current_route = &route;
  current_deadline = &deadline;
}

OnRoute::~OnRoute() {
  current_route = nullptr;
  current_deadline = nullptr;
}

void register_remote_stream() {
  git_stream_registration registration{.version = GIT_STREAM_VERSION, .init = make_socket, .wrap = nullptr};
  check(git_stream_register(GIT_STREAM_STANDARD, &registration), "take over its sockets");
}

}  // namespace git
