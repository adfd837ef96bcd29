// Cancelling a wait for work on another thread does not cancel the work.
#include "web/run_on.h"

#include <gtest/gtest.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <latch>
#include <stdexcept>
#include <thread>

namespace web_test {
namespace run_on_test {

namespace asio = boost::asio;

// An io_context and the thread that runs it.
struct Thread {
  asio::io_context context{1};
  asio::executor_work_guard<web::Executor> work{context.get_executor()};
  std::jthread thread{[this] { context.run(); }};
  ~Thread() { context.stop(); }
};

web::Task<std::thread::id> this_thread() { co_return std::this_thread::get_id(); }
web::Task<int> failing() {
  throw std::runtime_error("it failed there");
  co_return 0;
}

TEST(RunOn, RunsThereAndComesBack) {
  std::latch done(1);
  Thread here, there;
  const auto caller = [&]() -> web::Task<> {
    EXPECT_EQ(co_await web::run_on(there.context, this_thread()), there.thread.get_id());
    EXPECT_EQ(std::this_thread::get_id(), here.thread.get_id());
    EXPECT_EQ(co_await web::run_on(here.context, this_thread()), here.thread.get_id());
    std::string message;
    try {
      co_await web::run_on(there.context, failing());
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "it failed there");
  };
  asio::co_spawn(here.context, caller(), [&](std::exception_ptr failure) {
    EXPECT_FALSE(failure);
    done.count_down();
  });
  done.wait();
}

// The caller is cancelled when its work is done but not yet reported.
TEST(RunOn, CancellationAtTheEndOfTheWorkIsSafe) {
  for (int round = 0; round < 20; ++round) {
    asio::cancellation_signal signal;
    std::latch worked(1), ended(1), done(1);
    Thread here, there;  // last: they end before what they use
    const auto caller = [&]() -> web::Task<std::thread::id> { return web::run_on(there.context, this_thread()); };
    asio::post(here.context, [&] {
      asio::co_spawn(here.context, caller(),
                     asio::bind_cancellation_slot(signal.slot(), [&](auto failure, auto ran_on) {
                       EXPECT_FALSE(failure);
                       EXPECT_EQ(ran_on, there.thread.get_id());
                       ended.count_down();
                     }));
      asio::post(here.context, [&] {  // the work has been handed over by now
        asio::post(there.context, [&] {
          asio::post(there.context, [&] {  // it is done, and so is its handing back
            worked.count_down();
            ended.wait();
            asio::post(there.context, [&] { done.count_down(); });  // behind what the cancelling has left here
          });
        });
        worked.wait();
        signal.emit(asio::cancellation_type::terminal);
      });
    });
    done.wait();
  }
}

}  // namespace run_on_test
}  // namespace web_test
