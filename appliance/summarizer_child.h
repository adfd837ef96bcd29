// The summarizer as a supervised child of the same binary: what it parses may crash it, and the box goes on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "appliance/config.h"
#include "web/task.h"

namespace agentbox {

class SummarizerChild {
 public:
  // Starts the process and does not wait for it. It gets an environment of its own, with none of the box's secrets.
  explicit SummarizerChild(const Settings&);
  ~SummarizerChild();  // kills it when stop() did not end it; after `home` has stopped

  // Blocks until it listens; its address with the port really bound. Throws UsageError with the child's own sentence
  // when it cannot.
  std::string wait_until_ready();
  // From now on a child that ends is started again on the same port, after a pause that doubles from one second to
  // thirty and begins anew once it has lived a minute. After wait_until_ready().
  void supervise(boost::asio::io_context& home);
  // SIGTERM, and after five seconds SIGKILL. Called on `home`.
  web::Task<> stop();

 private:
  struct State;
  static web::Task<> watch(std::shared_ptr<State>);
  std::shared_ptr<State> state_;
};

}  // namespace agentbox
