#include "appliance/foundation/task_group.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/system/system_error.hpp>
#include <list>

#include "web/log.h"

namespace agentbox {

namespace asio = boost::asio;

// Used on `home` only.
struct TaskGroup::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, std::string given_name)
      : home(context), name(std::move(given_name)), changed(context.get_executor(), web::Timer::time_point::max()) {}

  struct Running {
    std::string key;
    asio::cancellation_signal signal;
  };

  void launch(std::string key, web::Task<> work) {
    if (stopping) return;
    running.push_back(std::make_unique<Running>());
    auto* const entry = running.back().get();
    entry->key = std::move(key);
    asio::co_spawn(home, std::move(work),
                   asio::bind_cancellation_slot(entry->signal.slot(),
                                                [self = shared_from_this(), entry](std::exception_ptr failure) {
                                                  self->ended(entry, failure);
                                                }));
  }

  void ended(const Running* entry, const std::exception_ptr& failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
      if (error.code() != asio::error::operation_aborted)
        web::log::error(name, {{"reason", std::string(error.what())}});
    } catch (const std::exception& error) {
      web::log::error(name, {{"reason", std::string(error.what())}});
    }
    running.remove_if([entry](const auto& each) { return each.get() == entry; });
    changed.cancel();
  }

  // Cancelling may end a coroutine at once, which changes the list.
  template <class Condition>
  void cancel_if(Condition condition) {
    std::vector<Running*> chosen;
    for (const auto& each : running)
      if (condition(*each)) chosen.push_back(each.get());
    for (auto* each : chosen) {
      const bool is_there = std::ranges::any_of(running, [each](const auto& one) { return one.get() == each; });
      if (is_there) each->signal.emit(asio::cancellation_type::terminal);
    }
  }

  asio::io_context& home;
  const std::string name;
  std::list<std::unique_ptr<Running>> running;
  web::Timer changed;  // cancelled when one has ended
  bool stopping = false;
};

TaskGroup::TaskGroup(asio::io_context& home, std::string name)
    : state_(std::make_shared<State>(home, std::move(name))) {}

TaskGroup::~TaskGroup() = default;

void TaskGroup::spawn(std::string key, web::Task<> work) {
  asio::post(state_->home, [state = state_, key = std::move(key), work = std::move(work)]() mutable {
    state->launch(std::move(key), std::move(work));
  });
}

void TaskGroup::cancel(std::string key) {
  asio::post(state_->home, [state = state_, key = std::move(key)] {
    state->cancel_if([&key](const State::Running& each) { return each.key == key; });
  });
}

web::Task<> TaskGroup::stop() {
  const auto state = state_;
  state->stopping = true;
  state->cancel_if([](const State::Running&) { return true; });
  while (!state->running.empty()) {
    boost::system::error_code woken;
    co_await state->changed.async_wait(asio::redirect_error(web::use_task, woken));
  }
}

}  // namespace agentbox
