// Draining on shutdown, and shedding load.
#include "tests/web/wire_fixture.h"

namespace web::testing {
namespace {

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

}  // namespace
}  // namespace web::testing
