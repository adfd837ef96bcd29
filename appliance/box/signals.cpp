#include "appliance/box/signals.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "web/log.h"

namespace agentbox {

using namespace std::chrono_literals;

namespace {

constexpr auto same_request_to_end = 1s;  // some supervisors signal a process and then its group

}  // namespace

SignalLoop::SignalLoop(SignalActions actions)
    : actions_(std::move(actions)), signals_(loop_, SIGTERM, SIGINT, SIGHUP) {}

std::exception_ptr SignalLoop::run() {
  std::exception_ptr failure;
  boost::asio::co_spawn(loop_, obey(), [&](std::exception_ptr thrown) {
    failure = std::move(thrown);
    loop_.stop();
  });
  loop_.run();
  return failure;
}

web::Task<> SignalLoop::obey() {
  for (;;) {
    const int signal = co_await signals_.async_wait(web::use_task);
    if (signal != SIGHUP) break;
    boost::asio::post(actions_.home, actions_.reload);
  }
  web::log::info("stopping");
  actions_.will_stop();
  boost::asio::co_spawn(loop_, end_at_once(), boost::asio::detached);
  co_await boost::asio::co_spawn(actions_.home, actions_.stop(), web::use_task);
}

web::Task<> SignalLoop::end_at_once() {
  const auto first = std::chrono::steady_clock::now();
  for (;;) {
    const int signal = co_await signals_.async_wait(web::use_task);
    if (signal != SIGHUP && std::chrono::steady_clock::now() - first >= same_request_to_end) std::_Exit(128 + signal);
  }
}

}  // namespace agentbox
