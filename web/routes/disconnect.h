// Waiting in a handler or stream that should notice when its client disconnects. A connection signals this by total
// cancellation, which coroutines do not notice otherwise: what they do goes on.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>

#include "web/task.h"

namespace web {

// Waits until the timer expires or is cancelled. False: the client has disconnected.
inline Task<bool> wait_unless_disconnected(Timer& timer) {
  namespace asio = boost::asio;
  co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
  co_await timer.async_wait(asio::as_tuple(use_task));
  const auto state = co_await asio::this_coro::cancellation_state;
  const bool is_disconnected = state.cancelled() != asio::cancellation_type::none;
  co_await asio::this_coro::reset_cancellation_state();
  co_return !is_disconnected;
}

}  // namespace web
