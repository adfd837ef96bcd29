// The coroutine type of the project, and the few ways to wait. A Task runs on the io_context of its awaiter: a
// connection and everything it awaits live on one thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace web {

using Executor = boost::asio::io_context::executor_type;

template <class T = void>
using Task = boost::asio::awaitable<T, Executor>;

inline constexpr boost::asio::use_awaitable_t<Executor> use_task;

using Timer = boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

// Suspends for `duration`. Throws boost::system::system_error(operation_aborted) when cancelled.
inline Task<> sleep_for(std::chrono::steady_clock::duration duration) {
  Timer timer(co_await boost::asio::this_coro::executor, duration);
  co_await timer.async_wait(use_task);
}

// Runs a blocking `work` on `pool` (hashing, libgit2, file input and output) and resumes the caller on its own
// io_context with its result or exception. The work is not cancelled.
template <class Work, class R = std::invoke_result_t<Work>>
Task<R> offload(boost::asio::thread_pool& pool, Work work) {
  using Stored = std::conditional_t<std::is_void_v<R>, std::monostate, R>;
  using Outcome = std::variant<std::monostate, std::exception_ptr, std::optional<Stored>>;
  auto outcome = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void(Outcome)>(
      [&pool](auto handler, Work task) {
        auto executor = boost::asio::get_associated_executor(handler);
        auto keep_alive = boost::asio::prefer(executor, boost::asio::execution::outstanding_work.tracked);
        boost::asio::post(pool, [handler = std::move(handler), keep_alive, task = std::move(task)]() mutable {
          Outcome result;
          try {
            if constexpr (std::is_void_v<R>) {
              task();
              result = std::optional<Stored>(std::in_place);
            } else {
              result = std::optional<Stored>(task());
            }
          } catch (...) {
            result = std::current_exception();
          }
          boost::asio::post(keep_alive, [handler = std::move(handler), result = std::move(result)]() mutable {
            std::move(handler)(std::move(result));
          });
        });
      },
      use_task, std::move(work));
  if (auto* error = std::get_if<std::exception_ptr>(&outcome)) std::rethrow_exception(*error);
  if constexpr (!std::is_void_v<R>) co_return std::move(*std::get<std::optional<Stored>>(outcome));
}

}  // namespace web
