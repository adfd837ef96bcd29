// The summarizer as a supervised child process of the same binary, so that a crash while parsing does not affect the
// box.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "appliance/foundation/descriptor.h"
#include "appliance/foundation/settings/settings.h"
#include "web/server/server.h"
#include "web/task.h"

namespace agentbox {

// The descriptors of the child's listening socket, and of the pipe into which it reports its fetches.
inline constexpr int inherited_socket = 3, inherited_report = 4;

class SummarizerChild {
 public:
  // Opens a listening socket on loopback and starts the process with it, without waiting: connections queue until it
  // accepts, also after a restart. The process has its own process group and an environment without the box's secrets,
  // and ends when the box does.
  explicit SummarizerChild(const Settings&);
  ~SummarizerChild();  // kills it if stop() did not end it; after `home` has stopped

  // The target for relaying requests, without their credentials.
  web::ProxyTarget target() const;
  // From now on restarts a child that ends, after a pause that doubles from 50 ms to 5 s and is reset once a child has
  // run for a second.
  void supervise(boost::asio::io_context& home);
  // SIGTERM, and after five seconds SIGKILL. Called on `home`.
  web::Task<> stop();

 private:
  struct State;
  static web::Task<> watch(std::shared_ptr<State>);
  static web::Task<> count_reports(files::Descriptor pipe);
  std::shared_ptr<State> state_;
};

}  // namespace agentbox
