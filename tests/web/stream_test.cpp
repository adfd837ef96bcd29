// Streamed bodies: chunked and server-sent events.
#include <boost/asio/this_coro.hpp>

#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace stream_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Reports when it is destroyed.
struct Ending {
  std::promise<void>& ended;
  ~Ending() { ended.set_value(); }
};

class Streams : public WireTest {
 protected:
  Streams() {
    auto three = [](Request&) -> Task<Result<Response>> {
      auto answer = text("");
      answer.body = Stream([](StreamWriter& writer) -> Task<> {
        co_await writer.write("one ");
        co_await writer.write("");
        co_await writer.write("two ");
        co_await writer.write("three");
      });
      co_return answer;
    };
    auto events = [](Request&) -> Task<Result<Response>> {
      auto answer = server_sent_events([](StreamWriter& writer) -> Task<> {
        co_await writer.event("plain");
        co_await writer.event("two\nlines", "named\nevent: forged", "7");
      });
      co_return answer;
    };
    auto endless = [this](Request&) -> Task<Result<Response>> {
      auto answer = server_sent_events([this](StreamWriter& writer) -> Task<> {
        const Ending ending{ended};
        for (;;) {
          co_await writer.event(std::string(10'000, 'e'));
          ++events_written;
        }
      });
      co_return answer;
    };
    auto silent = [this](Request&) -> Task<Result<Response>> {
      auto answer = server_sent_events([this](StreamWriter& writer) -> Task<> {
        const Ending ending{ended};
        co_await writer.event("hello");
        co_await sleep_for(1h);
      });
      answer.endless = true;
      co_return answer;
    };
    auto patient = [this](Request&) -> Task<Result<Response>> {
      auto answer = server_sent_events([this](StreamWriter& writer) -> Task<> {
        const Ending ending{ended};
        co_await writer.event("waiting");
        co_await sleep_for(1h);
      });
      co_return answer;
    };
    auto broken = [](Request&) -> Task<Result<Response>> {
      auto answer = text("");
      answer.body = Stream([](StreamWriter& writer) -> Task<> {
        co_await writer.write("half");
        throw std::runtime_error("the source is gone");
      });
      co_return answer;
    };
    append(options.routes, {{GET, "/three", open_door, nullptr, plain(three), "Three pieces"},
                            {GET, "/events", open_door, nullptr, plain(events), "Two events"},
                            {GET, "/endless", open_door, nullptr, plain(endless), "Without end"},
                            {GET, "/silent", open_door, nullptr, plain(silent), "Has nothing more to say"},
                            {GET, "/patient", open_door, nullptr, plain(patient), "Waits"},
                            {GET, "/guarded", fickle_door, nullptr, plain(patient), "Waits for who is admitted"},
                            {GET, "/broken", open_door, nullptr, plain(broken), "Fails half-way"}});
  }

  std::atomic<bool> expelled = false;
  const Guard fickle_door{.name = "fickle", .scheme = "", .admit = [this](const Request&) -> Result<Caller> {
                            if (expelled) return unauthenticated();
                            return Caller{};
                          }};

  std::promise<void> ended;
  std::atomic<int> events_written = 0;
};

TEST_F(Streams, EventsEndWhenTheirCallerWouldNotBeAdmittedAnyMore) {
  options.limits.tunnel_check_time = 10ms;
  serve();
  auto one = client();
  one.send(get("/guarded"));
  EXPECT_EQ(one.head().status, 200);
  EXPECT_THAT(one.line() + one.line(), HasSubstr("waiting"));
  expelled = true;
  one.rest();
  EXPECT_EQ(ended.get_future().wait_for(20s), std::future_status::ready);
}

TEST_F(Streams, ArriveInChunksAndTheConnectionGoesOn) {
  serve();
  auto one = client();
  for (int turn = 0; turn < 2; ++turn) {
    one.send(get("/three"));
    const auto answer = one.answer();
    EXPECT_EQ(answer.headers.at("transfer-encoding"), "chunked");
    EXPECT_EQ(answer.body, "one two three");
  }
}

TEST_F(Streams, EndWithTheConnectionInHttp10) {
  serve();
  auto one = client();
  one.send("GET /three HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto answer = one.answer();
  EXPECT_FALSE(answer.headers.contains("transfer-encoding"));
  EXPECT_EQ(answer.body, "one two three");
}

TEST_F(Streams, HaveNoBodyForHead) {
  serve();
  auto one = client();
  one.send("HEAD /three HTTP/1.1\r\nHost: box\r\n\r\n" + get("/ask"));
  EXPECT_EQ(one.answer(true).status, 200);
  EXPECT_EQ(one.answer().body, "GET /ask");
}

TEST_F(Streams, EventsCannotBeForgedByTheirFields) {
  serve();
  const auto answer = ask(get("/events"));
  EXPECT_THAT(answer.headers.at("content-type"), HasSubstr("text/event-stream"));
  EXPECT_EQ(answer.body, "data: plain\n\nid: 7\nevent: namedevent: forged\ndata: two\ndata: lines\n\n");
}

TEST_F(Streams, AClientThatLeavesEndsItsHandler) {
  serve();
  auto one = client();
  one.send(get("/endless"));
  one.take(50'000);
  one.reset();
  ASSERT_EQ(ended.get_future().wait_for(20s), std::future_status::ready);
}

// Before a heartbeat could detect it.
TEST_F(Streams, AClientThatLeavesEndsAnIdleEndlessStream) {
  options.limits.heartbeat_time = 1h;
  serve();
  {
    auto one = client();
    one.send(get("/silent"));
    one.take(1);
  }
  ASSERT_EQ(ended.get_future().wait_for(20s), std::future_status::ready);
}

TEST_F(Streams, ASlowReaderSlowsItsHandlerDown) {
  serve();
  RawClient slow(port, 4096);
  slow.send(get("/endless"));
  slow.take(1000);
  // What the kernel's buffers hold is written ahead, and no more.
  int before = -1;
  while (before != events_written) {
    before = events_written;
    EXPECT_EQ(ask(get("/ask")).status, 200);
  }
  EXPECT_LT(events_written, 2000);
  slow.reset();
  ASSERT_EQ(ended.get_future().wait_for(20s), std::future_status::ready);
}

TEST_F(Streams, AreCutWhenTheBoxStops) {
  serve();
  auto one = client();
  one.send(get("/patient"));
  EXPECT_EQ(one.head().status, 200);
  EXPECT_EQ(one.take(18), "f\r\ndata: waiting\n\n");  // its handler runs
  server.reset();
  ASSERT_EQ(ended.get_future().wait_for(20s), std::future_status::ready);
}

TEST_F(Streams, AFailureHalfWayShowsAsAMissingEnd) {
  serve();
  auto one = client();
  one.send(get("/broken"));
  EXPECT_EQ(one.head().status, 200);
  EXPECT_EQ(one.rest(), "4\r\nhalf\r\n");
}

}  // namespace stream_test
}  // namespace web::tests
