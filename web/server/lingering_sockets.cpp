#include "web/server/lingering_sockets.h"

#include <sys/socket.h>
#include <unistd.h>

namespace web {

using namespace std::chrono_literals;

namespace {

constexpr auto longest = 1s;
constexpr auto period = 50ms;

// Discards what the client has sent. Returns false once it has closed.
bool discard(int socket) {
  char dropped[4096];
  for (int turn = 0; turn < 16; ++turn) {
    const auto size = ::recv(socket, dropped, sizeof dropped, MSG_DONTWAIT | MSG_TRUNC);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    if (size == 0) return false;
  }
  return true;
}

}  // namespace

LingeringSockets::~LingeringSockets() { stop(); }

void LingeringSockets::add(int socket, std::string_view answer) {
  // A new connection's send buffer has room for it.
  static_cast<void>(::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  ::shutdown(socket, SHUT_WR);
  if (stopped_) {
    discard(socket);
    ::close(socket);
    return;
  }
  sockets_.push_back({.socket = socket, .until = Clock::now() + longest});
  if (sockets_.size() > most) close_oldest();
  schedule();
}

void LingeringSockets::stop() {
  stopped_ = true;
  timer_.cancel();
  while (close_oldest()) {
  }
}

bool LingeringSockets::close_oldest() {
  if (sockets_.empty()) return false;
  discard(sockets_.front().socket);
  ::close(sockets_.front().socket);
  sockets_.pop_front();
  return true;
}

void LingeringSockets::schedule() {
  if (scheduled_ || stopped_) return;
  scheduled_ = true;
  timer_.expires_after(period);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;  // stopped; this object may be destroyed
    scheduled_ = false;
    sweep();
    if (!sockets_.empty()) schedule();
  });
}

void LingeringSockets::sweep() {
  const auto now = Clock::now();
  std::erase_if(sockets_, [now](const Lingering& one) {
    if (discard(one.socket) && now < one.until) return false;
    ::close(one.socket);
    return true;
  });
}

}  // namespace web
