#include "appliance/foundation/periodic.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>

#include "web/log.h"

namespace agentbox {

struct Periodic::State {
  State(boost::asio::io_context& home, std::string given_name, std::chrono::steady_clock::duration given_pause,
        std::function<web::Task<>()> given_work)
      : name(std::move(given_name)),
        pause(given_pause),
        work(std::move(given_work)),
        tick(home.get_executor()),
        ended(home.get_executor(), std::chrono::steady_clock::time_point::max()) {}

  const std::string name;
  const std::chrono::steady_clock::duration pause;
  const std::function<web::Task<>()> work;
  // Used on the home thread only.
  web::Timer tick, ended;
  bool running = false, stopping = false;
};

Periodic::Periodic(boost::asio::io_context& home, std::string name, std::chrono::steady_clock::duration pause,
                   std::function<web::Task<>()> work)
    : home_(home), state_(std::make_shared<State>(home, std::move(name), pause, std::move(work))) {}

Periodic::~Periodic() = default;

void Periodic::start() {
  state_->running = true;
  boost::asio::co_spawn(home_, run(state_), boost::asio::detached);
}

web::Task<> Periodic::run(std::shared_ptr<State> state) {
  while (!state->stopping) {
    try {
      co_await state->work();
    } catch (const std::exception& error) {
      web::log::warning("background_work_failed", {{"work", state->name}, {"reason", std::string(error.what())}});
    }
    if (state->stopping) break;
    state->tick.expires_after(state->pause);
    boost::system::error_code woken;
    co_await state->tick.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
  state->running = false;
  state->ended.cancel();
}

web::Task<> Periodic::stop() {
  const auto state = state_;
  state->stopping = true;
  state->tick.cancel();
  if (!state->running) co_return;
  boost::system::error_code woken;
  co_await state->ended.async_wait(boost::asio::redirect_error(web::use_task, woken));
}

}  // namespace agentbox
