// Coroutines in the background that their owner cancels and waits for.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "web/task.h"

namespace agentbox {

class TaskGroup {
 public:
  // They run on `home`; exceptions are logged under `name`.
  TaskGroup(boost::asio::io_context& home, std::string name);
  ~TaskGroup();  // after stop(), or with `home` stopped

  // Callable from every thread. Several may have one key. Does nothing once stop() was called.
  void spawn(std::string key, web::Task<> work);
  // Cancels those with the key; they end soon after. Callable from every thread.
  void cancel(std::string key);
  // Cancels all and returns when they have ended. Called on `home`.
  web::Task<> stop();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace agentbox
