// Awaiting work on the io_context of another thread.
#pragma once

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "web/task.h"

namespace web {

// The completion signature of a coroutine that returns T.
template <class T>
struct Resumption {
  using Signature = void(std::exception_ptr, T);
};
template <>
struct Resumption<void> {
  using Signature = void(std::exception_ptr);
};

// Runs `work` on `context`, then resumes the caller on its own context with the result or exception. Cancellation is
// not propagated to another context, so a cancelled caller still waits until the work ends: Asio (1.81) would pass the
// other thread the address of a cancellation state that is destroyed with the wait. On the caller's own context the
// work is awaited directly and cancelled with it.
template <class T>
Task<T> run_on(boost::asio::io_context& context, Task<T> work) {
  using Token = boost::asio::use_awaitable_t<Executor>;
  const Executor here = co_await boost::asio::this_coro::executor;
  if (&here.context() == &context) co_return co_await std::move(work);
  co_return co_await boost::asio::async_initiate<const Token, typename Resumption<T>::Signature>(
      [&context](auto handler, Task<T> handed_over) {
        const boost::asio::cancellation_slot none;
        boost::asio::co_spawn(context, std::move(handed_over),
                              boost::asio::bind_cancellation_slot(none, std::move(handler)));
      },
      use_task, std::move(work));
}

}  // namespace web
