#include "appliance/runtime/watchdog/journal.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <map>
#include <utility>

#include "web/log.h"

namespace watchdog {

struct Journal::State {
  State(store::System view, boost::asio::io_context& context)
      : system(std::move(view)), home(context), all_written(context.get_executor(), web::Timer::time_point::max()) {}

  static web::Task<> write_pending(std::shared_ptr<State> self) {
    while (!self->pending.empty()) {
      auto change = self->system.change();
      self->at_hand = std::exchange(self->pending, {});
      for (const auto& [agent, watch] : self->at_hand) {
        if (auto row = self->system.get(watches, watch.owner, agent)) {
          row->value = watch;
          change.update(watches, *row);
        } else {
          change.insert(watches, watch);
        }
      }
      const auto outcome = co_await change.commit();
      if (!outcome.ok()) throw std::logic_error("the watchdog's table has another writer");
    }
  }

  store::System system;
  boost::asio::io_context& home;
  std::map<std::string, Watch> pending, at_hand;  // by agent: to be written, being written
  bool is_writing = false;
  web::Timer all_written;  // cancelled when it is so
};

Journal::Journal(store::System system, boost::asio::io_context& home)
    : state_(std::make_shared<State>(std::move(system), home)) {}

Journal::~Journal() = default;

Watch Journal::read(store::UserId owner, const std::string& agent) const {
  for (const auto* newer : {&state_->pending, &state_->at_hand})
    if (const auto found = newer->find(agent); found != newer->end()) return found->second;
  if (auto row = state_->system.get(watches, owner, agent)) return std::move(row->value);
  Watch fresh;
  fresh.owner = owner;
  fresh.id = agent;
  return fresh;
}

void Journal::write(const Watch& watch) {
  state_->pending.insert_or_assign(watch.id, watch);
  if (std::exchange(state_->is_writing, true)) return;
  boost::asio::co_spawn(state_->home, State::write_pending(state_), [state = state_](std::exception_ptr failure) {
    state->is_writing = false;
    state->at_hand.clear();
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      state->pending.clear();
      web::log::warning("watchdog_not_written", {{"reason", std::string(error.what())}});
    }
    state->all_written.cancel();
  });
}

web::Task<> Journal::flush() {
  const auto state = state_;
  while (state->is_writing) {
    boost::system::error_code woken;
    co_await state->all_written.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
}

web::Task<> Journal::forget(store::UserId owner, std::string agent) {
  const auto state = state_;
  state->pending.erase(agent);
  co_await flush();
  const auto row = state->system.get(watches, owner, agent);
  if (!row) co_return;
  auto change = state->system.change();
  change.erase(watches, *row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("the watchdog's table has another writer");
}

}  // namespace watchdog
