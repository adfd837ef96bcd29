// One exchange: the request, the response and the errors.
#include <unistd.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <filesystem>
#include <future>

#include "tests/web/compression.h"
#include "tests/web/fetch_fixture.h"

namespace web {
namespace fetch_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;
using tests::always;
using tests::brotlied;
using tests::closed_port;
using tests::Loopback;
using tests::Peer;
using tests::Zipped;
using tests::zipped;

class Fetch : public tests::FetchTest {};

TEST_F(Fetch, ReturnsStatusHeadersAndBody) {
  Loopback server([](Peer& peer) {
    peer.read_request();
    peer.answer("nothing here", "X-Thing: a \r\nx-thing: b\r\nContent-Type: text/plain\r\n", "404 Not Found");
  });
  const auto answer = get_url(server.url("/path?q=1"));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->body, "nothing here");
  EXPECT_EQ(answer->header("Content-Type"), "text/plain");
  EXPECT_EQ(answer->header("x-thing"), "a");
  EXPECT_EQ(answer->header("absent"), "");
  EXPECT_THAT(answer->headers, Contains(Pair("x-thing", "b")));
  EXPECT_EQ(answer->final_url, server.url("/path?q=1"));
}

TEST_F(Fetch, SendsMethodHeadersAndBodyAndNothingUnasked) {
  std::promise<std::string> seen;
  Loopback server([&](Peer& peer) {
    seen.set_value(peer.read_request());
    peer.answer("{}");
  });
  FetchRequest request{.url = server.url("/v1"), .method = "PATCH"};
  request.headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}};
  request.body = R"({"a":1})";
  ASSERT_TRUE(get(request));
  const std::string text = seen.get_future().get();
  EXPECT_THAT(text, StartsWith("PATCH /v1 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(text, HasSubstr("X-Empty:\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(text, ::testing::EndsWith("\r\n\r\n{\"a\":1}"));
  EXPECT_THAT(text, Not(HasSubstr("Expect:")));
}

TEST_F(Fetch, SendsAnEmptyPostAndAHead) {
  std::vector<std::string> seen;
  Loopback server([&](Peer& peer) {
    seen.push_back(peer.read_request());
    peer.answer("{}");
    seen.push_back(peer.read_request());
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n");
    peer.wait_for_close();
  });
  ASSERT_TRUE(get({.url = server.url(), .method = "POST"}));
  const auto head = get({.url = server.url(), .method = "HEAD"});
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->body, "");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_THAT(seen[0],
              AllOf(StartsWith("POST / "), HasSubstr("Content-Length: 0\r\n"), Not(HasSubstr("Content-Type"))));
  EXPECT_THAT(seen[1], StartsWith("HEAD / "));
}

TEST_F(Fetch, CarriesNothingFromOneExchangeIntoTheNext) {
  std::vector<std::string> seen;
  Loopback server([&](Peer& peer) {
    for (int i = 0; i < 3; ++i) {
      seen.push_back(peer.read_request());
      peer.answer(i == 1 ? "" : "{}");
    }
  });
  const auto plain = server.url("/plain");
  FetchRequest rich{.url = server.url("/rich"), .method = "PUT"};
  rich.headers = {{"Authorization", "Bearer secret"}, {"Content-Type", "text/plain"}, {"User-Agent", "somebody"}};
  rich.body = "a body";
  ASSERT_TRUE(get(rich));
  ASSERT_TRUE(get({.url = plain, .method = "HEAD"}));
  const auto answer = get_url(plain);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "{}");
  EXPECT_EQ(answer->final_url, plain);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[2], "GET /plain HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                         "\r\nUser-Agent: agentbox\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n");
}

TEST_F(Fetch, ReusesItsConnection) {
  Loopback server(always("hello"));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(get_url(server.url())->body, "hello");
  EXPECT_EQ(server.connections(), 1u);
}

// The next socket mostly has the number of the one that was closed.
TEST_F(Fetch, OpensAnotherConnectionWhereTheServerClosesEach) {
  Loopback server([](Peer& peer) {
    peer.read_request();
    peer.answer("once");
  });
  for (int i = 0; i < 5; ++i) {
    const auto answer = get_url(server.url());
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "once");
  }
  EXPECT_EQ(server.connections(), 5u);
}

TEST_F(Fetch, ReusesAConnectionThatAlternatesLateAndEarlyResponses) {
  int answered = 0;
  Loopback server([&](Peer& peer) {
    while (!peer.read_request().empty()) {
      if (answered % 2 == 0) std::this_thread::sleep_for(20ms);
      peer.answer(std::to_string(answered++));
    }
  });
  for (int i = 0; i < 6; ++i) ASSERT_EQ(get_url(server.url())->body, std::to_string(i));
  EXPECT_EQ(server.connections(), 1u);
}

// A server whose kept connection breaks once a second request on it has been read whole.
struct Breaking {
  explicit Breaking(bool with_reset)
      : server([this, with_reset](Peer& peer) {
          ++received;
          peer.read_request();
          peer.answer("kept");
          if (peer.read_request().empty()) return;
          ++received;
          if (with_reset) peer.reset();
        }) {}
  std::atomic<int> received = 0;
  Loopback server;
};

TEST_F(Fetch, NeverSendsAPostTwice) {
  for (const bool with_reset : {true, false}) {
    for (const std::string method : {"POST", "PATCH"}) {
      for (const std::string body : {"", "{}"}) {
        Breaking broken(with_reset);
        ASSERT_TRUE(get({.url = broken.server.url(), .method = method, .body = body}));
        const auto answer = get({.url = broken.server.url(), .method = method, .body = body});
        expect_error(answer, Kind::bad_gateway, "broke before there was an answer");
        EXPECT_EQ(broken.received, 2) << method << body;
        EXPECT_EQ(broken.server.connections(), 1u);
      }
    }
  }
}

// Any number of times: libcurl gives up after five resends with one handle.
TEST_F(Fetch, SendsAGetAgainWhenItsKeptConnectionBreaks) {
  for (int time = 0; time < 12; ++time) {
    Breaking broken(true);
    ASSERT_TRUE(get_url(broken.server.url()));
    const auto answer = get_url(broken.server.url());
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "kept");
    EXPECT_EQ(broken.received, 3);
  }
}

TEST_F(Fetch, SaysThatAHeaderIsTooLong) {
  Loopback server([](Peer& peer) {
    peer.read_request();
    peer.answer("", "X-Long: " + std::string(900'000, 'x') + "\r\n");
  });
  expect_error(get_url(server.url()), Kind::bad_gateway, "header");
}

TEST_F(Fetch, RunsManyAtOnceOnOneThread) {
  std::atomic<int> waiting = 0;
  Loopback server([&](Peer& peer) {
    peer.read_request();
    ++waiting;
    while (waiting < 20) std::this_thread::yield();  // no response before all requests have arrived
    peer.answer("together");
  });
  std::vector<std::future<Result<FetchResponse>>> answers;
  for (int i = 0; i < 20; ++i) {
    FetchRequest request{.url = server.url()};
    answers.push_back(boost::asio::co_spawn(io_, fetch(std::move(request)), boost::asio::use_future));
  }
  io_.run();
  for (auto& answer : answers) EXPECT_EQ(answer.get()->body, "together");
}

TEST_F(Fetch, DecompressesWhatItAskedFor) {
  const std::string text = "hello, compressed world";
  Loopback server([&](Peer& peer) {
    EXPECT_THAT(peer.read_request(), HasSubstr("Accept-Encoding: gzip, deflate, br\r\n"));
    peer.answer(zipped(text, Zipped::gzip) + std::string(8, '\0'), "Content-Encoding: gzip\r\n");
    peer.read_request();
    peer.answer(zipped(text, Zipped::bare), "Content-Encoding: Deflate\r\n");
    peer.read_request();
    peer.answer(brotlied(text), "Content-Encoding: br\r\n");
    peer.read_request();
    peer.answer(zipped(brotlied(text), Zipped::gzip), "Content-Encoding: br\r\nContent-Encoding: gzip\r\n");
  });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(get_url(server.url())->body, text) << i;
}

TEST_F(Fetch, SaysWhatIsWrongWithACompressedBody) {
  const auto whole = zipped("hello, compressed world", Zipped::gzip);
  Loopback other(always("this is no gzip", "Content-Encoding: gzip\r\n"));
  expect_error(get_url(other.url()), Kind::bad_gateway, "sent a compressed body that cannot be decompressed");
  Loopback early(always(whole.substr(0, whole.size() - 1), "Content-Encoding: gzip\r\n"));
  expect_error(get_url(early.url()), Kind::bad_gateway, "sent a compressed body that ends early");
  Loopback cut([&](Peer& peer) {  // without a length, so that only the close ends it
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + whole.substr(0, 20));
  });
  expect_error(get_url(cut.url()), Kind::bad_gateway, "sent a compressed body that ends early");
  Loopback unknown(always("(\xb5/\xfd", "Content-Encoding: zstd\r\n"));
  expect_error(get_url(unknown.url()), Kind::bad_gateway, "sent a body in an unknown content coding zstd");
}

TEST_F(Fetch, LooksForCodingsOnlyWhereThereIsABodyToRead) {
  Loopback empty(always("", "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(get_url(empty.url())->body, "");
  EXPECT_EQ(get({.url = empty.url(), .method = "HEAD"})->status, 200);
  Loopback moved([](Peer& peer) {
    peer.read_request();
    peer.answer("gone there", "Content-Encoding: zstd\r\nLocation: /there\r\n", "302 Found");
    peer.read_request();
    peer.answer("here");
  });
  EXPECT_EQ(get({.url = moved.url(), .max_redirects = 1})->body, "here");
  // A caller that sends Accept-Encoding decodes the body itself.
  Loopback raw(always("packed", "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(get({.url = raw.url(), .headers = {{"Accept-Encoding", "gzip"}}})->body, "packed");
}

TEST_F(Fetch, SaysWhyItCouldNotConnect) {
  const std::string peer = "127.0.0.1:" + std::to_string(closed_port());
  expect_error(get_url("http://" + peer + "/secret?token=hush"), Kind::bad_gateway,
               "could not connect to " + peer + ": connection refused");
  expect_error(get_url("http://name.invalid/"), Kind::bad_gateway, "could not find the address of name.invalid");
  expect_error(get({.url = "http://box/", .unix_socket = "/nonexistent/socket"}), Kind::bad_gateway,
               "could not connect to /nonexistent/socket: no such file or directory");
}

TEST_F(Fetch, SaysHowTheServerBroke) {
  Loopback resets([](Peer& peer) {
    peer.read_request();
    peer.reset();
  });
  expect_error(get_url(resets.url()), Kind::bad_gateway, "broke: connection reset by peer");
  Loopback silent([](Peer& peer) { peer.read_request(); });
  expect_error(get_url(silent.url()), Kind::bad_gateway, "closed the connection without an answer");
  Loopback cut([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  expect_error(get_url(cut.url()), Kind::bad_gateway, "closed the connection before the answer was complete");
  Loopback chatter([](Peer& peer) {
    peer.read_request();
    peer.send("220 mail.example.com ESMTP\r\n");
  });
  expect_error(get_url(chatter.url()), Kind::bad_gateway, "did not answer in HTTP");
  Loopback boaster([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 100 && peer.send("X-Filler: " + std::string(8000, 'x') + "\r\n"); ++i) {
    }
    peer.wait_for_close();
  });
  expect_error(get_url(boaster.url()), Kind::bad_gateway, "of headers");
}

TEST_F(Fetch, RefusesRequestsThatAreNotOne) {
  for (const char* url : {"", "/path", "example.com", "file:///etc/passwd", "ftp://example.com/", "gopher://x/",
                          "http://user@127.0.0.1/", "http://user:word@127.0.0.1/", "http://:word@127.0.0.1/", "http://",
                          "http:///", "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "http://[::1/",
                          "http://exa mple/", "http://127.0.0.1/\r\nX: y", "http://127.0.0.1\n/"}) {
    expect_error(get_url(url), Kind::invalid, "");
  }
  const std::string url = "http://127.0.0.1:1/";
  expect_error(get({.url = url, .method = "GET /\r\n"}), Kind::invalid, "method");
  expect_error(get({.url = url, .method = ""}), Kind::invalid, "method");
  expect_error(get({.url = url, .headers = {{"X-Y", "a\r\nInjected: yes"}}}), Kind::invalid, "X-Y");
  expect_error(get({.url = url, .headers = {{"X-Y", std::string("a\0b", 3)}}}), Kind::invalid, "X-Y");
  expect_error(get({.url = url, .headers = {{"X Y", "a"}}}), Kind::invalid, "name of a request header");
  expect_error(get({.url = url, .headers = {{"", "a"}}}), Kind::invalid, "name of a request header");
  expect_error(get({.url = url, .unix_socket = "/run/x", .reach = Reach::public_only}), Kind::invalid, "Unix socket");
  expect_error(get_url(std::string("http://127.0.0.1:1/\0.example.com", 32)), Kind::invalid, "NUL");
}

TEST_F(Fetch, SpeaksOverAUnixSocket) {
  const auto path = std::filesystem::temp_directory_path() / ("fetch-test-" + std::to_string(::getpid()) + ".sock");
  std::filesystem::remove(path);
  std::promise<std::string> seen;
  {
    Loopback server(boost::asio::local::stream_protocol::endpoint(path.string()), [&](Peer& peer) {
      seen.set_value(peer.read_request());
      peer.answer("OK", "Api-Version: 1.44\r\n");
      peer.wait_for_close();
    });
    const auto answer = get({.url = "http://docker/_ping", .unix_socket = path});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "OK");
    EXPECT_EQ(answer->header("api-version"), "1.44");
    EXPECT_THAT(seen.get_future().get(), StartsWith("GET /_ping HTTP/1.1\r\nHost: docker\r\n"));
  }
  std::filesystem::remove(path);
}

TEST_F(Fetch, CancellingCutsTheConnection) {
  std::promise<void> asked, closed;
  Loopback server([&](Peer& peer) {
    peer.read_request();
    asked.set_value();
    peer.wait_for_close();
    closed.set_value();
  });
  boost::asio::cancellation_signal signal;
  std::exception_ptr thrown;
  FetchRequest request{.url = server.url()};
  boost::asio::co_spawn(
      io_, fetch(std::move(request)),
      boost::asio::bind_cancellation_slot(
          signal.slot(), [&](std::exception_ptr error, const Result<FetchResponse>&) { thrown = error; }));
  std::thread canceller([&] {
    asked.get_future().wait();
    boost::asio::post(io_, [&] { signal.emit(boost::asio::cancellation_type::terminal); });
  });
  io_.run();
  canceller.join();
  ASSERT_TRUE(thrown);
  try {
    std::rethrow_exception(thrown);
  } catch (const boost::system::system_error& error) {
    EXPECT_EQ(error.code(), boost::asio::error::operation_aborted);
  }
  EXPECT_EQ(closed.get_future().wait_for(5s), std::future_status::ready);
}

TEST_F(Fetch, OutlivesAnIoContextThatEndsFirst) {
  std::promise<void> asked;
  Loopback server([&](Peer& peer) {
    peer.read_request();
    asked.set_value();
    peer.wait_for_close();
  });
  bool resumed = false;
  {
    boost::asio::io_context io;
    FetchRequest request{.url = server.url()};
    boost::asio::co_spawn(io, fetch(std::move(request)),
                          [&](std::exception_ptr, const Result<FetchResponse>&) { resumed = true; });
    auto arrived = asked.get_future();
    while (arrived.wait_for(0s) != std::future_status::ready) io.run_one_for(10ms);
  }
  EXPECT_FALSE(resumed);
}

}  // namespace fetch_test
}  // namespace web
