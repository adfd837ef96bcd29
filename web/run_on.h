// Awaiting what has to run on the io_context of another thread.
#pragma once

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "web/task.h"

namespace web {

// How a coroutine that returns T hands over what came of it.
template <class T>
struct Resumption {
  using Signature = void(std::exception_ptr, T);
};
template <>
struct Resumption<void> {
  using Signature = void(std::exception_ptr);
};

// Runs `work` on `context` and resumes the caller on its own with what it returned; what it throws is thrown to the
// caller. Who is cancelled waits for the work all the same, which goes on to its end: Asio (1.81) would hand the wish
// to the other thread by the address of something that dies with the wait. On the caller's own context it is awaited as
// it is, and cancelled with it.
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
