// The summarizer as a supervised child of the same binary: what it parses may crash it, and the box goes on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "appliance/foundation/settings/settings.h"
#include "web/server.h"
#include "web/task.h"

namespace agentbox {

// Where the child finds its listening socket.
inline constexpr int inherited_socket = 3;

class SummarizerChild {
 public:
  // Makes a listening socket on loopback and starts the process with it, without waiting for it: connections queue
  // until it accepts, now and whenever it is started again. It has a process group and an environment of its own, with
  // none of the box's secrets, and ends when the box does.
  explicit SummarizerChild(const Settings&);
  ~SummarizerChild();  // kills it when stop() did not end it; after `home` has stopped

  // Where to pass requests on to, without what their senders prove themselves by.
  web::ProxyTarget target() const;
  // From now on a child that ends is started again, after a pause that doubles from a twentieth of a second to five
  // seconds and begins anew once one has lived for a second.
  void supervise(boost::asio::io_context& home);
  // SIGTERM, and after five seconds SIGKILL. Called on `home`.
  web::Task<> stop();

 private:
  struct State;
  static web::Task<> watch(std::shared_ptr<State>);
  std::shared_ptr<State> state_;
};

}  // namespace agentbox
