// Clients that are slow, stop half-way or disconnect: they take a bounded time and do not affect others.
#include <thread>

#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace slow_client_test {

using namespace std::chrono_literals;

class SlowClient : public WireTest {
 protected:
  void expect_others_served() { EXPECT_EQ(ask(get("/ask")).status, 200); }
};

TEST_F(SlowClient, AHeadThatTricklesInIsServed) {
  serve();
  auto one = client();
  for (const char byte : get("/ask?slowly")) ASSERT_TRUE(one.send({&byte, 1}));
  EXPECT_EQ(one.answer().body, "GET /ask?slowly");
}

// The deadline is over the whole head: a byte now and then does not move it.
TEST_F(SlowClient, AHeadThatNeverEndsIsCutOff) {
  options.limits.head_time = 300ms;
  serve();
  auto one = client();
  one.send("GET /ask HTTP/1.1\r\nHost: box\r\nX-Endless: ");
  std::promise<void> stop;
  std::thread trickle([&one, stopped = stop.get_future()] {
    while (stopped.wait_for(20ms) == std::future_status::timeout)
      if (!one.send("x")) return;
  });
  EXPECT_EQ(one.answer().status, 0);
  stop.set_value();
  trickle.join();
  EXPECT_TRUE(reached().empty());
  expect_others_served();
}

class OneThread : public WireTest {
 protected:
  OneThread() : WireTest(1) {}
};

// Here the sweep finds the head late while bytes of it have been read but not been looked at.
TEST_F(OneThread, AHeadIsCutOffEvenWhenItsBytesCameTogetherWithItsDeadline) {
  options.limits.head_time = 40ms;
  std::promise<void> release;
  auto hold = [this, &release](Request&) -> Task<Result<Response>> {
    arrived.set_value();
    release.get_future().wait();
    auto answer = text("held");
    co_return answer;
  };
  append(options.routes, {{GET, "/hold", open_door, nullptr, plain(hold), "Holds its thread"}});
  serve();
  auto one = client();
  one.send("GET /ask HTTP/1.1\r\nHost: box\r\nX-Endless: ");
  auto holder = client();
  holder.send(get("/hold"));
  arrived.get_future().wait();
  one.send(std::string(3000, 'x'));
  std::this_thread::sleep_for(100ms);  // the deadline passes while the thread is held
  release.set_value();
  EXPECT_EQ(holder.answer().body, "held");
  EXPECT_TRUE(one.closed());
}

TEST_F(SlowClient, ABodyThatStallsIsAnswered408) {
  options.limits.body_stall_time = 200ms;
  serve();
  for (const auto& start : {post("hello").substr(0, post("hello").size() - 2), chunked_post("5\r\nhe")}) {
    auto one = client();
    one.send(start);
    EXPECT_EQ(one.answer().status, 408);
    EXPECT_TRUE(one.closed());
  }
  EXPECT_TRUE(reached().empty());
  expect_others_served();
}

// Each byte is progress, but the time for the whole body passes all the same.
TEST_F(SlowClient, ABodyThatTricklesInIsAnswered408) {
  options.limits.body_time = 300ms;
  serve();
  auto one = client();
  one.send("POST /ask HTTP/1.1\r\nHost: box\r\nContent-Length: 100000\r\n\r\n");
  std::promise<void> stop;
  std::thread trickle([&one, stopped = stop.get_future()] {
    while (stopped.wait_for(20ms) == std::future_status::timeout)
      if (!one.send("x")) return;
  });
  EXPECT_EQ(one.answer().status, 408);
  stop.set_value();
  trickle.join();
  EXPECT_TRUE(reached().empty());
}

TEST_F(SlowClient, AnIdleConnectionIsClosed) {
  options.limits.idle_time = 200ms;
  serve();
  auto never = client();
  EXPECT_TRUE(never.closed());
  auto once = client();
  once.send(get("/ask"));
  EXPECT_EQ(once.answer().status, 200);
  EXPECT_TRUE(once.closed());
}

TEST_F(SlowClient, AnUnreadResponseIsGivenUp) {
  options.limits.write_time = 300ms;
  options.limits.connections = 1;
  serve();
  RawClient deaf(port, 4096);
  deaf.send(get("/long"));
  ASSERT_EQ(deaf.take(1), "H");
  EXPECT_EQ(ask(get("/ask")).status, 503);  // it has the only place
  const auto until = std::chrono::steady_clock::now() + 15s;
  while (ask(get("/ask")).status != 200) ASSERT_LT(std::chrono::steady_clock::now(), until);
  EXPECT_LT(deaf.rest().size(), 8u << 20);
}

TEST_F(SlowClient, AHalfClosedClientStillGetsTheResponse) {
  serve();
  auto one = client();
  one.send(get("/gate"));
  one.half_close();
  arrived.get_future().wait();
  open = true;
  EXPECT_EQ(one.answer().body, "through the gate");
  EXPECT_TRUE(one.closed());
}

TEST_F(SlowClient, LeavingHalfWayReachesNoHandler) {
  serve();
  for (const auto& start : {get("/ask").substr(0, 20), post("hello").substr(0, post("hello").size() - 2),
                            chunked_post("5\r\nhel"), chunked_post("5\r\nhello\r\n")}) {
    for (const bool abruptly : {false, true}) {
      auto one = client();
      one.send(start);
      if (abruptly) {
        one.reset();
      } else {
        one.half_close();
        EXPECT_EQ(one.answer().status, 0);
      }
    }
  }
  expect_others_served();
  EXPECT_EQ(reached().size(), 1u);
}

TEST_F(SlowClient, DisconnectingDuringTheResponseAffectsNoOther) {
  serve();
  {
    auto waiting = client();
    waiting.send(get("/gate"));
    arrived.get_future().wait();
    waiting.reset();
  }
  for (int i = 0; i < 20; ++i) {
    auto one = client();
    one.send(get("/long"));
    one.take(1000);
    one.reset();
  }
  open = true;
  expect_others_served();
}

}  // namespace slow_client_test
}  // namespace web::tests
