// Draining on shutdown, and shedding load.
#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace drain_test {

using namespace std::chrono_literals;

class Drain : public WireTest {};

TEST_F(Drain, FinishesRunningRequestsAndAcceptsNoNewOnes) {
  serve();
  auto idle = client();
  idle.send(get("/ask"));
  EXPECT_EQ(idle.answer().status, 200);
  auto fresh = client();
  auto running = client();
  running.send(get("/gate"));
  arrived.get_future().wait();

  auto drained = drain(20s);
  EXPECT_TRUE(idle.closed());
  EXPECT_TRUE(fresh.closed());
  while (client().connected()) {
  }
  open = true;
  const auto answer = running.answer();
  EXPECT_EQ(answer.body, "through the gate");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(running.closed());
  EXPECT_EQ(drained.wait_for(10s), std::future_status::ready);
}

TEST_F(Drain, CutsRequestsAtTheDeadline) {
  serve();
  auto running = client();
  running.send(get("/gate"));
  arrived.get_future().wait();
  auto drained = drain(1s);
  EXPECT_EQ(running.answer().status, 0);
  open = true;
  EXPECT_EQ(drained.wait_for(10s), std::future_status::ready);
}

class HeldThread : public WireTest {
 protected:
  HeldThread() : WireTest(1) {
    auto hold = [this](Request&) -> Task<Result<Response>> {
      arrived.set_value();
      release.get_future().wait();
      auto answer = text("held");
      co_return answer;
    };
    append(options.routes, {{GET, "/hold", open_door, nullptr, plain(hold), "Holds its thread"}});
  }
  std::promise<void> release;
};

// While the thread is held, nothing is accepted or read.
TEST_F(HeldThread, AnswersWhatWasSentBeforeTheDrain) {
  serve();
  auto kept = client();
  kept.send(get("/ask"));
  ASSERT_EQ(kept.answer().status, 200);
  auto holder = client();
  holder.send(get("/hold"));
  arrived.get_future().wait();
  std::vector<RawClient> queued;
  for (int i = 0; i < 200; ++i) {
    queued.push_back(client());
    ASSERT_TRUE(queued.back().send(get("/ask?queued")));
  }
  kept.send(get("/ask?kept"));
  auto drained = drain(20s);
  release.set_value();
  EXPECT_EQ(holder.answer().body, "held");
  EXPECT_EQ(kept.answer().status, 200);
  for (auto& one : queued) EXPECT_EQ(one.answer().status, 200);
  EXPECT_EQ(drained.wait_for(10s), std::future_status::ready);
}

// A client that sends one request after the other notices the drain by an answer, not by a closed connection.
TEST_F(Drain, AnswersARequestThatIsOnItsWay) {
  serve();
  auto busy = client();
  std::future<void> drained;
  for (int turn = 0;; ++turn) {
    ASSERT_LT(turn, 100'000);
    ASSERT_TRUE(busy.send(get("/ask")));
    const auto answer = busy.answer();
    ASSERT_EQ(answer.status, 200);
    if (turn == 10) drained = drain(20s);
    if (answer.headers.contains("connection") && answer.headers.at("connection") == "close") break;
  }
  EXPECT_EQ(drained.wait_for(10s), std::future_status::ready);
}

class Overload : public WireTest {
 protected:
  Overload() {
    options.limits.in_flight = 1;
    auto health = [](Request&) -> Task<Result<Response>> {
      auto answer = text("alive");
      co_return answer;
    };
    append(options.routes, {{GET, "/health", open_door, nullptr, plain(health), "Alive"}});
  }
};

TEST_F(Overload, IsAnsweredAtOnceAndHealthStays) {
  serve();
  auto running = client();
  running.send(get("/gate"));
  arrived.get_future().wait();
  auto other = client();
  other.send(get("/ask") + get("/health"));
  const auto busy = other.answer();
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.headers.at("retry-after"), "1");
  EXPECT_EQ(other.answer().body, "alive");
  open = true;
  EXPECT_EQ(running.answer().status, 200);
  other.send(get("/ask"));
  EXPECT_EQ(other.answer().status, 200);
}

}  // namespace drain_test
}  // namespace web::tests
