// Work that is done again and again in the background, and its owner.
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
  // Runs `work` on `home`, the first time at once, then `pause` after each end. What it throws is logged
  // under `name`, and the next round comes all the same.
  Periodic(boost::asio::io_context& home, std::string name, std::chrono::steady_clock::duration pause,
           std::function<web::Task<>()> work);
  ~Periodic();  // after stop(), or with `home` stopped

  void start();
  // Returns once a round at work has ended; none comes after it. Called on `home`.
  web::Task<> stop();

 private:
  struct State;
  static web::Task<> run(std::shared_ptr<State>);
  boost::asio::io_context& home_;
  std::shared_ptr<State> state_;
};

}  // namespace agentbox
