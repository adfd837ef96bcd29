// The signals that have the box reload and end.
#pragma once

#include <boost/asio/basic_signal_set.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <functional>

#include "web/task.h"

namespace agentbox {

struct SignalActions {
  boost::asio::io_context& home;      // where `reload` and `stop` run
  std::function<void()> reload;       // SIGHUP
  std::function<void()> will_stop;    // at the first SIGTERM or SIGINT, on the thread of run()
  std::function<web::Task<>()> stop;  // ends everything in order
};

// Signals are obeyed on a loop of their own, so that they count even while every network thread is busy. Another
// SIGTERM or SIGINT, one second or more after the first, ends the process at once with 128 plus its number: what is on
// disk is as after a crash, whole.
class SignalLoop {
 public:
  // Signals that come from now on are obeyed by run().
  explicit SignalLoop(SignalActions);
  // Returns once `stop` has ended, with what it has thrown.
  std::exception_ptr run();

 private:
  web::Task<> obey();
  web::Task<> end_at_once();

  const SignalActions actions_;
  boost::asio::io_context loop_{1};
  boost::asio::basic_signal_set<web::Executor> signals_;
};

}  // namespace agentbox
