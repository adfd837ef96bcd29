// Overload: connections beyond the limit, a process without descriptors, and requests that have waited too long.
#include "web/admission/overload.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <boost/json/parse.hpp>
#include <deque>
#include <random>
#include <thread>
#include <utility>

#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace overload_test {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// The server has closed without a reset.
bool ends_cleanly(RawClient& client) {
  char byte;
  return ::recv(client.handle(), &byte, 1, 0) == 0;
}

void expect_overloaded(const Answer& answer) {
  ASSERT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_EQ(boost::json::parse(answer.body).at("code"), "OVERLOADED");
}

class Overloaded : public WireTest {
 protected:
  explicit Overloaded(unsigned threads = 2) : WireTest(threads) {
    auto health = [](Request&) -> Task<Result<Response>> {
      auto answer = text("alive");
      co_return answer;
    };
    auto wait = [this](Request& request) -> Task<Result<Response>> {
      note(request.path);
      Timer poll(co_await boost::asio::this_coro::executor);
      while (!open) {
        poll.expires_after(2ms);
        co_await poll.async_wait(use_task);
      }
      auto answer = text("waited");
      co_return answer;
    };
    append(options.routes, {{GET, "/health", open_door, nullptr, plain(health), "Alive"},
                            {GET, "/wait", open_door, nullptr, plain(wait), "Waits until the test goes on"}});
  }
  // As many connections as the limit allows.
  std::vector<RawClient> fill() {
    std::vector<RawClient> guests;
    for (std::size_t i = 0; i < limit; ++i) {
      guests.push_back(client());
      guests.back().send(get("/ask"));
      EXPECT_EQ(guests.back().answer().status, 200);
    }
    return guests;
  }

  const std::size_t limit = options.limits.connections = 3;
};

TEST_F(Overloaded, EveryConnectionBeyondTheLimitGets503WithoutAReset) {
  serve();
  const auto guests = fill();
  std::vector<RawClient> crowd;
  for (int i = 0; i < 400; ++i) {
    crowd.push_back(client());
    ASSERT_TRUE(crowd.back().send(post(std::string(20'000, 'x')))) << i;
  }
  for (auto& one : crowd) {
    expect_overloaded(one.answer());
    EXPECT_TRUE(ends_cleanly(one));
  }
}

TEST_F(Overloaded, HealthIsAnsweredBeyondTheLimit) {
  serve();
  const auto guests = fill();
  for (int turn = 0; turn < 100; ++turn) {
    auto probe = client();
    probe.send(get("/health"));
    const auto answer = probe.answer();
    EXPECT_EQ(answer.body, "alive");
    EXPECT_EQ(answer.headers.at("connection"), "close");
    EXPECT_TRUE(ends_cleanly(probe));
  }
  auto silent = client();
  expect_overloaded(silent.answer());
}

// All descriptors of this process, as long as it exists.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 400);
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int taken; (taken = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(taken);
  }
  ~NoDescriptors() {
    for (const int one : taken_) ::close(one);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  void give_one_back() {
    ::close(taken_.back());
    taken_.pop_back();
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

class WithoutDescriptors : public Overloaded {
 protected:
  // The answer to a new client, after which the server closes without a reset.
  Answer answer_to(const char* path) {
    options.limits.connections = 1000;
    serve();
    auto known = client();
    known.send(get("/ask"));
    EXPECT_EQ(known.answer().status, 200);
    Answer answer;
    bool is_clean = false;
    {
      NoDescriptors none;
      none.give_one_back();  // for the client
      auto one = client();
      one.send(get(path));
      answer = one.answer();
      is_clean = ends_cleanly(one);
    }
    EXPECT_TRUE(is_clean);
    return answer;
  }
};

TEST_F(WithoutDescriptors, HealthIsAnswered) { EXPECT_EQ(answer_to("/health").body, "alive"); }

// The first clients have the places for health. Each of the others lingers with a descriptor for a second: 100 of them
// one after the other would take half a minute.
TEST_F(WithoutDescriptors, ClientsThatDoNotCloseDoNotHoldUpTheNext) {
  options.limits.connections = 1000;
  serve();
  NoDescriptors none;
  std::vector<RawClient> kept;
  const auto began = Clock::now();
  for (int i = 0; i < 100; ++i) {
    none.give_one_back();  // for the client
    kept.push_back(client());
    kept.back().send(get("/ask"));
    EXPECT_NE(kept.back().answer().status, 0);
  }
  EXPECT_LT(Clock::now() - began, 5s);
}

TEST_F(WithoutDescriptors, OtherRequestsGet503) { expect_overloaded(answer_to("/ask")); }

TEST_F(Overloaded, ReadsHaveAnEighthOfThePlacesForThemselves) {
  options.limits.in_flight = 8;
  options.limits.connections = 100;
  serve();
  std::vector<RawClient> waiting;
  for (int i = 0; i < 7; ++i) {
    waiting.push_back(client());
    waiting.back().send(get("/wait"));
  }
  while (reached().size() < 7) std::this_thread::sleep_for(1ms);
  expect_overloaded(ask(post("hello")));
  EXPECT_EQ(ask(get("/ask")).status, 200);
  open = true;
  for (auto& one : waiting) EXPECT_EQ(one.answer().status, 200);
  EXPECT_EQ(ask(post("hello")).status, 200);
}

class SlowHandler : public Overloaded {
 protected:
  SlowHandler() : Overloaded(1) {
    options.limits.connections = 1000;
    auto work = [](Request&) -> Task<Result<Response>> {
      std::this_thread::sleep_for(20ms);  // what a core needs
      auto answer = text("done");
      co_return answer;
    };
    append(options.routes, {{GET, "/work", open_door, nullptr, plain(work), "Takes its thread's time"}});
  }
};

// Sixty clients ask for 1.2 s of work at a time, without pause.
TEST_F(SlowHandler, RequestsThatWaitTooLongAreShedAndTheOthersAreServed) {
  serve();
  std::atomic<bool> is_over = false;
  std::atomic<int> served = 0, shed = 0, other = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 60; ++i) {
    clients.emplace_back([&] {
      auto one = client();
      while (!is_over) {
        one.send(get("/work"));
        const auto answer = one.answer();
        if (answer.status == 200) {
          ++served;
        } else if (answer.status == 503 && answer.headers.contains("retry-after")) {
          ++shed;
        } else {
          ++other;
        }
      }
    });
  }
  const auto began = Clock::now();
  auto probe = client();
  while (Clock::now() - began < 3s) {
    probe.send(get("/health"));
    EXPECT_EQ(probe.answer().body, "alive");
  }
  is_over = true;
  for (auto& one : clients) one.join();
  EXPECT_EQ(other, 0);
  EXPECT_GT(shed, 0);
  EXPECT_GT(served, 0);
}

class Shedder : public ::testing::Test {
 protected:
  // One request each millisecond that has waited so long; the number of those refused.
  int refused(std::chrono::milliseconds waited, int requests, Work work = Work::read) {
    int count = 0;
    for (int i = 0; i < requests; ++i) count += shedder.refuses(waited, work, now += 1ms);
    return count;
  }
  LoadShedder shedder;
  Clock::time_point now = Clock::now();
};

TEST_F(Shedder, ABurstIsServed) {
  EXPECT_EQ(refused(150ms, 90), 0);
  EXPECT_EQ(refused(5ms, 1), 0);
  EXPECT_EQ(refused(150ms, 90), 0) << "the interval began anew";
}

TEST_F(Shedder, WaitingBeyondTheTargetForAnIntervalIsShed) {
  EXPECT_EQ(refused(150ms, 300), 200);
  EXPECT_FALSE(shedder.refuses(40ms, Work::read, now)) << "it has not waited too long";
  EXPECT_EQ(refused(150ms, 50), 0);
}

// On a busy machine a client that asks now and then waits, too, but not for others.
TEST_F(Shedder, FewRequestsAreNeverShed) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(shedder.refuses(400ms, Work::read, now += 120ms));
  for (int i = 0; i < 14; ++i) EXPECT_FALSE(shedder.refuses(400ms, Work::read, now += 20ms));
  EXPECT_TRUE(shedder.refuses(400ms, Work::read, now += 20ms));
}

TEST_F(Shedder, ReadsAreShedLast) {
  EXPECT_EQ(refused(60ms, 300, Work::read), 0);
  EXPECT_EQ(refused(60ms, 300, Work::costly), 300);
}

// Two thousand event streams opened at once take a second or more.
TEST_F(Shedder, ABurstOfStreamsIsServed) {
  EXPECT_EQ(refused(1500ms, 2000, Work::stream), 0);
  EXPECT_EQ(refused(2500ms, 2000, Work::stream), 1900);
}

TEST_F(Shedder, StreamsAreKnownByWhatTheirClientsAccept) {
  Request request;
  request.method = Method::get;
  EXPECT_EQ(work_of(request), Work::read);
  request.headers.push_back({"Accept", "text/event-stream"});
  EXPECT_EQ(work_of(request), Work::stream);
  request.method = Method::post;
  EXPECT_EQ(work_of(request), Work::costly);
}

TEST_F(Shedder, RefusedConnectionsArePaced) {
  auto last = now;
  for (int i = 0; i < 1000; ++i) {
    const auto turn = shedder.next_turn(now);
    EXPECT_GE(turn, last);
    last = turn;
  }
  EXPECT_GE(last, now + 150ms);
  for (int i = 0; i < 10'000; ++i) last = shedder.next_turn(now);
  EXPECT_LE(last, now + 1s);
}

TEST_F(Shedder, RefusalsTakeATenthOfTheTime) {
  auto last = shedder.next_turn(now, 300us);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(shedder.next_turn(now, 300us) - std::exchange(last, last + 3ms), 3ms);
}

// A thread that works 1 ms for a request on average, in ten pieces between which others have their turn. Its clients
// are many, and each sends its next request when it is answered or refused.
class CostlyRequests : public ::testing::Test {
 protected:
  struct Outcome {
    int served = 0;
    Clock::duration slowest{};  // of the last half
  };
  Outcome run(std::size_t clients, int periods) {
    std::uniform_int_distribution pieces(1, 19);
    struct One {
      Clock::time_point sent;
      int left;
      CostlyLimit::Place place;
    };
    std::deque<Clock::time_point> sent(clients, now);
    std::deque<One> working;
    Outcome outcome;
    const auto began = now, end = now + periods * CostlyLimit::period;
    while (now < end) {
      for (auto waiting = sent.size(); waiting > 0; --waiting) {  // a turn of the event loop
        const auto since = sent.front();
        sent.pop_front();
        limit.measured(now - since, now);
        if (limit.is_full())
          sent.push_back(now += 1us);
        else
          working.push_back({since, pieces(random), CostlyLimit::Place(limit)});
      }
      for (auto turns = working.size(); turns > 0; --turns) {
        now += 100us;
        auto one = std::move(working.front());
        working.pop_front();
        if (--one.left > 0) {
          working.push_back(std::move(one));
          continue;
        }
        ++outcome.served;
        if (now - began > (end - began) / 2) outcome.slowest = std::max(outcome.slowest, now - one.sent);
        sent.push_back(now);
      }
    }
    return outcome;
  }
  CostlyLimit limit;
  std::minstd_rand random;
  Clock::time_point now = Clock::now();
};

TEST_F(CostlyRequests, FewAreNotLimited) {
  run(16, 20);
  EXPECT_EQ(limit.limit(), CostlyLimit::most);
}

TEST_F(CostlyRequests, ManyAreLimitedSoThatThoseServedStayFast) {
  const auto crowd = run(2000, 100);
  EXPECT_LT(limit.limit(), 600u);
  EXPECT_GT(crowd.served, 8500) << "of 10,000 that the thread can do";
  EXPECT_LT(crowd.slowest, 1s) << "all at once would take 2 s";
}

TEST_F(CostlyRequests, TheLimitIsLiftedAfterTheRush) {
  run(2000, 50);
  EXPECT_LT(limit.limit(), 600u);
  run(4, 200);
  EXPECT_EQ(limit.limit(), CostlyLimit::most);
}

}  // namespace overload_test
}  // namespace web::tests
