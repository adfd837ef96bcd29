#include "web/server/loop_watchdog.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <future>

#include "web/server/server.h"

namespace loop_watchdog_test {

using namespace std::chrono_literals;

bool becomes(const std::function<bool()>& holds) {
  for (const auto end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

TEST(LoopWatchdog, LogsAStalledLoopAndItsResumption) {
  web::IoPool pool(2);
  web::LoopWatchdog watchdog(pool, 200ms);
  pool.start();
  watchdog.start();
  std::promise<void> release;
  testing::internal::CaptureStderr();
  boost::asio::post(pool.at(1), [released = release.get_future().share()] { released.wait(); });
  EXPECT_TRUE(becomes([&] { return watchdog.stalled() == 1; }));
  release.set_value();
  EXPECT_TRUE(becomes([&] { return watchdog.stalled() == 0; }));
  pool.stop();
  watchdog.stop();
}

TEST(LoopWatchdogDeathTest, AStalledLoopDoesNotPreventTheShutdown) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        web::IoPool pool(1);
        web::LoopWatchdog watchdog(pool, 100ms);
        pool.start();
        watchdog.start();
        std::promise<void> is_stuck;
        boost::asio::post(pool.at(0), [&is_stuck] {
          is_stuck.set_value();
          for (;;) std::this_thread::sleep_for(1h);
        });
        is_stuck.get_future().wait();
        watchdog.expect_end();
        pool.stop();
        std::_Exit(2);
      },
      testing::ExitedWithCode(1), "");
}

TEST(LoopWatchdogDeathTest, AnEndWithoutAStallIsLeftAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        web::IoPool pool(2);
        web::LoopWatchdog watchdog(pool, 5s);
        pool.start();
        watchdog.start();
        watchdog.expect_end();
        pool.stop();
        watchdog.stop();
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace loop_watchdog_test
