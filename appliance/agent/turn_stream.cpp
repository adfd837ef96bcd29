#include "appliance/agent/turn_stream.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "web/routes/disconnect.h"

namespace agent_process {

namespace asio = boost::asio;

struct TurnStream::State {
  explicit State(web::Executor executor) : changed(executor, web::Timer::time_point::max()) {}

  web::Timer changed;  // cancelled when a member below changes
  std::vector<TurnEvent> events;
  std::optional<web::Result<Reply>> reply;
  asio::cancellation_signal stop;
};

web::Task<TurnStream> TurnStream::start(Loop& loop, Prompt prompt, spans::TraceContext trace) {
  const auto executor = co_await asio::this_coro::executor;
  auto state = std::make_shared<State>(executor);
  TurnObserver observer = [state](TurnEvent event) {
    state->events.push_back(std::move(event));
    state->changed.cancel();
  };
  auto ended = [state](std::exception_ptr failure, web::Result<Reply> reply) {
    if (failure) reply = web::internal("The turn was cut short.");
    state->reply = std::move(reply);
    state->changed.cancel();
  };
  asio::co_spawn(executor, loop.turn(std::move(prompt), std::move(observer), std::move(trace)),
                 asio::bind_cancellation_slot(state->stop.slot(), std::move(ended)));
  co_return TurnStream(std::move(state));
}

TurnStream::~TurnStream() {
  if (state_ && !state_->reply) state_->stop.emit(asio::cancellation_type::terminal);
}

web::Task<std::vector<TurnEvent>> TurnStream::next() {
  const auto state = state_;
  while (state->events.empty() && !state->reply) {
    if (!co_await web::wait_unless_disconnected(state->changed)) break;
  }
  co_return std::exchange(state->events, {});
}

web::Result<Reply> TurnStream::reply() const {
  if (state_->reply) return *state_->reply;
  return web::Error{.kind = web::Kind::abandoned, .message = "The client has disconnected."};
}

}  // namespace agent_process
