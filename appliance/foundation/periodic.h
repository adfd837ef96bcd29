// Repeated background work.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "web/task.h"

namespace agentbox {

class Periodic {
 public:
  // Runs `work` on `home`, the first time at once, then `pause` after each end. Exceptions are logged under `name` and
  // do not stop later rounds.
  Periodic(boost::asio::io_context& home, std::string name, std::chrono::steady_clock::duration pause,
           std::function<web::Task<>()> work);
  ~Periodic();  // after stop(), or with `home` stopped

  void start();
  // Returns once the current round has ended; no other follows. Called on `home`.
  web::Task<> stop();

 private:
  struct State;
  static web::Task<> run(std::shared_ptr<State>);
  boost::asio::io_context& home_;
  std::shared_ptr<State> state_;
};

}  // namespace agentbox
