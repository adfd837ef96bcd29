// Sockets of refused connections: closed once the client has closed, or a second later. Closing at once would reset the
// connection, since the client's request has not been read, and the reset would discard the answer.
#pragma once

#include <deque>

#include "web/server/deadlines.h"

namespace web {

// Of one thread. Cheap enough for thousands of refusals a second: there is neither a coroutine nor an event for each.
class LingeringSockets {
 public:
  explicit LingeringSockets(Executor executor) : timer_(executor) {}
  ~LingeringSockets();
  LingeringSockets(const LingeringSockets&) = delete;
  LingeringSockets& operator=(const LingeringSockets&) = delete;

  // Sends `answer`, ends our direction and takes over the socket. Of more than `most` the oldest is closed.
  void add(int socket, std::string_view answer);
  // Closes all of them; nothing waits on the io_context afterwards.
  void stop();
  // Makes room for another connection: closes the one that has been kept longest. False if there is none.
  bool close_oldest();

 private:
  struct Lingering {
    int socket;
    Clock::time_point until;
  };
  static constexpr std::size_t most = 1024;
  void schedule();
  void sweep();

  Timer timer_;
  std::deque<Lingering> sockets_;  // oldest first
  bool scheduled_ = false, stopped_ = false;
};

}  // namespace web
