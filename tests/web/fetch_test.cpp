#include "web/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>
#include <future>

#include "tests/web/loopback.h"

namespace web {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using testing::closed_port;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Loopback;
using ::testing::Not;
using ::testing::Pair;
using testing::Peer;
using ::testing::StartsWith;

// The answer to every request is 200 with this body.
Loopback::Script always(std::string body, std::string headers = {}) {
  return [=](Peer& peer) {
    while (!peer.read_request().empty()) peer.answer(body, headers);
  };
}

// `count` bytes of zeroes in a few kilobytes of deflate: one literal, then matches of 258 bytes at distance 1.
std::string gzip_bomb(std::size_t count) {
  std::string out("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03", 10);
  unsigned bits = 0, used = 0;
  const auto put = [&](unsigned value, unsigned length) {
    for (unsigned i = length; i-- > 0;) {
      bits |= (value >> i & 1) << used;
      if (++used < 8) continue;
      out.push_back(char(bits));
      bits = used = 0;
    }
  };
  put(0b110, 3);  // last block, fixed codes
  put(0x30, 8);   // literal 0
  for (std::size_t made = 1; made < count; made += 258) put(0xc5 << 5, 13);
  put(0, 7);  // end of block
  put(0, 7);
  return out;
}

class Fetch : public ::testing::Test {
 protected:
  Result<FetchResponse> get(FetchRequest request) {
    auto answer = boost::asio::co_spawn(io_, fetch(std::move(request)), boost::asio::use_future);
    io_.restart();
    io_.run();
    return answer.get();
  }
  Result<FetchResponse> get_url(std::string url) { return get(FetchRequest{.url = std::move(url)}); }

  void expect_error(const Result<FetchResponse>& answer, Kind kind, const std::string& message) {
    ASSERT_TRUE(answer.has_error()) << answer->status;
    EXPECT_EQ(answer.error().kind, kind) << answer.error().message;
    EXPECT_THAT(answer.error().message, HasSubstr(message));
  }

  boost::asio::io_context io_;
};

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

TEST_F(Fetch, ReusesItsConnection) {
  Loopback server(always("hello"));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(get_url(server.url())->body, "hello");
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(Fetch, RunsManyAtOnceOnOneThread) {
  std::atomic<int> waiting = 0;
  Loopback server([&](Peer& peer) {
    peer.read_request();
    ++waiting;
    while (waiting < 20) std::this_thread::yield();  // nobody is answered before everybody has asked
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
  static constexpr std::string_view gzip(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\xd7\x51\x48\xce\xcf\x2d\x28\x4a\x2d\x2e\x4e\x4d\x51"
      "\x28\xcf\x2f\xca\x49\x01\x00\x08\x9e\x34\x35\x17\x00\x00\x00",
      43);
  static constexpr std::string_view deflate(
      "\x78\x9c\xcb\x48\xcd\xc9\xc9\xd7\x51\x48\xce\xcf\x2d\x28\x4a\x2d\x2e\x4e\x4d\x51\x28\xcf\x2f\xca\x49\x01\x00\x68"
      "\xb2\x08\xde",
      31);
  static constexpr std::string_view brotli(
      "\x1b\x16\x00\xf8\x25\x41\xc8\xca\x72\x90\x4d\x80\xc9\x12\x2e\xea\x48\x4e\x3f\xe8\x1d", 21);
  Loopback server([](Peer& peer) {
    EXPECT_THAT(peer.read_request(), HasSubstr("Accept-Encoding: deflate, gzip, br"));
    peer.answer(gzip, "Content-Encoding: gzip\r\n");
    peer.read_request();
    peer.answer(deflate, "Content-Encoding: deflate\r\n");
    peer.read_request();
    peer.answer(brotli, "Content-Encoding: br\r\n");
    peer.read_request();
    peer.answer("this is no gzip", "Content-Encoding: gzip\r\n");
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get_url(server.url())->body, "hello, compressed world");
  expect_error(get_url(server.url()), Kind::bad_gateway, "cannot be decompressed");
}

TEST_F(Fetch, StreamsIntoASink) {
  std::promise<void> first_arrived;
  Loopback server([&](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    first_arrived.get_future().wait();  // the sink has it before the rest is even sent
    peer.send("6\r\nsecond\r\n0\r\nX-Trailer: t\r\n\r\n");
    peer.wait_for_close();
  });
  std::vector<std::string> story;
  FetchRequest request{.url = server.url()};
  request.on_head = [&](int status, const FetchHeaders& headers) {
    story.push_back(std::to_string(status) + " " + headers.at(0).second);
    return true;
  };
  request.sink = [&](std::string_view bytes) {
    if (story.size() == 1) first_arrived.set_value();
    story.emplace_back(bytes);
    return true;
  };
  const auto answer = get(std::move(request));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "");
  EXPECT_THAT(story, ::testing::ElementsAre("200 text/event-stream", "first", "second"));
  EXPECT_EQ(answer->header("x-trailer"), "");
}

TEST_F(Fetch, EndsEarlyWhenTheSinkOrTheHeadCallbackSaysSo) {
  Loopback server([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nstart");
    peer.wait_for_close();
  });
  int calls = 0;
  FetchRequest request{.url = server.url()};
  request.sink = [&](std::string_view) { return ++calls < 1; };
  EXPECT_EQ(get(request)->status, 200);
  EXPECT_EQ(calls, 1);
  request.on_head = [](int, const FetchHeaders&) { return false; };
  EXPECT_EQ(get(request)->status, 200);
  EXPECT_EQ(calls, 1);
}

TEST_F(Fetch, ThrowsWhatACallbackThrows) {
  Loopback server(always("hello"));
  FetchRequest request{.url = server.url()};
  request.sink = [](std::string_view) -> bool { throw std::runtime_error("the reader gave up"); };
  EXPECT_THROW((void)get(request), std::runtime_error);
  request.sink = nullptr;
  request.on_head = [](int, const FetchHeaders&) -> bool { throw std::out_of_range("head"); };
  EXPECT_THROW((void)get(request), std::out_of_range);
}

TEST_F(Fetch, CanBeStartedFromInsideASink) {
  Loopback server(always("hello"));
  std::future<Result<FetchResponse>> inner;
  FetchRequest request{.url = server.url()};
  request.sink = [&](std::string_view) {
    FetchRequest next{.url = server.url()};
    inner = boost::asio::co_spawn(io_, fetch(std::move(next)), boost::asio::use_future);
    return true;
  };
  ASSERT_TRUE(get(std::move(request)));
  EXPECT_EQ(inner.get()->body, "hello");
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

TEST_F(Fetch, GivesUpAtTheDeadline) {
  Loopback stalls([](Peer& peer) { peer.wait_for_close(); });
  expect_error(get({.url = stalls.url(), .timeout = 60ms}), Kind::timeout, "gave no complete answer within 60 ms");

  Loopback drips([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (peer.send("x")) std::this_thread::sleep_for(5ms);
  });
  expect_error(get({.url = drips.url(), .timeout = 80ms}), Kind::timeout, "gave no complete answer within 80 ms");

  // A full accept queue: the connection is never made.
  boost::asio::io_context context;
  boost::asio::ip::tcp::acceptor full(context);
  full.open(boost::asio::ip::tcp::v4());
  full.bind({boost::asio::ip::address_v4::loopback(), 0});
  full.listen(0);
  std::vector<boost::asio::ip::tcp::socket> crowd;
  for (int i = 0; i < 3; ++i) {
    crowd.emplace_back(context).async_connect(full.local_endpoint(), [](boost::system::error_code) {});
  }
  const std::string url = "http://127.0.0.1:" + std::to_string(full.local_endpoint().port()) + "/";
  expect_error(get({.url = url, .connect_timeout = 60ms}), Kind::timeout, "could not connect to 127.0.0.1:");
}

TEST_F(Fetch, CountsTheDeadlineOverAllHops) {
  Loopback server([](Peer& peer) {
    while (!peer.read_request().empty()) {
      std::this_thread::sleep_for(30ms);
      peer.answer("", "Location: /again\r\n", "302 Found");
    }
  });
  const auto started = std::chrono::steady_clock::now();
  expect_error(get({.url = server.url(), .max_redirects = 1000, .timeout = 100ms}), Kind::timeout, "within 100 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - started, 2s);
}

TEST_F(Fetch, RefusesWhatIsTooLarge) {
  Loopback announces([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n");
    peer.wait_for_close();  // not one body byte is needed to refuse
  });
  expect_error(get({.url = announces.url(), .max_bytes = 1000}), Kind::too_large, "is larger than 1000 bytes");
  Loopback endless([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.send(std::string(10'000, 'x'))) {
    }
  });
  expect_error(get({.url = endless.url(), .max_bytes = 1u << 20}), Kind::too_large, "is larger than 1 MB");
  Loopback exact(always("12345"));
  EXPECT_EQ(get({.url = exact.url(), .max_bytes = 5})->body, "12345");
  expect_error(get({.url = exact.url(), .max_bytes = 4}), Kind::too_large, "is larger than 4 bytes");
}

TEST_F(Fetch, CountsBytesAfterDecompression) {
  const std::string bomb = gzip_bomb(100u << 20);
  ASSERT_LT(bomb.size(), 1u << 20);
  Loopback server(always(bomb, "Content-Encoding: gzip\r\n"));
  expect_error(get({.url = server.url(), .max_bytes = 2u << 20}), Kind::too_large, "is larger than 2 MB");
}

TEST_F(Fetch, LeavesRedirectsAloneUnlessAsked) {
  Loopback server([](Peer& peer) {
    peer.read_request();
    peer.answer("moved", "Location: /there\r\n", "302 Found");
  });
  const auto answer = get_url(server.url());
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->header("location"), "/there");
  EXPECT_EQ(answer->body, "moved");
}

TEST_F(Fetch, FollowsRedirectsToTheCap) {
  Loopback server([](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      const int left = request[5] - '0';
      if (left == 0) {
        peer.answer("arrived");
      } else {
        peer.answer("on the way", "Location: " + std::to_string(left - 1) + "\r\n", "302 Found");
      }
    }
  });
  FetchRequest request{.url = server.url("/3"), .max_redirects = 3};
  std::vector<int> heads;
  std::string body;
  request.on_head = [&](int status, const FetchHeaders&) {
    heads.push_back(status);
    return true;
  };
  request.sink = [&](std::string_view bytes) {
    body += bytes;
    return true;
  };
  const auto answer = get(request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->final_url, server.url("/0"));
  EXPECT_EQ(body, "arrived");
  EXPECT_THAT(heads, ::testing::ElementsAre(200));
  expect_error(get({.url = server.url("/4"), .max_redirects = 3}), Kind::bad_gateway, "more than 3 redirects");

  Loopback loops([](Peer& peer) {
    while (!peer.read_request().empty()) peer.answer("", "Location: /\r\n", "301 Moved");
  });
  expect_error(get({.url = loops.url(), .max_redirects = 10}), Kind::bad_gateway, "more than 10 redirects");
}

TEST_F(Fetch, RefusesRedirectsOutOfTheWeb) {
  for (const std::string target : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1:70/", "dict://x/",
                                   "javascript:alert(1)", "http://user:word@127.0.0.1/", "http://", "http://[::1"}) {
    Loopback server([&](Peer& peer) {
      peer.read_request();
      peer.answer("", "Location: " + target + "\r\n", "302 Found");
    });
    const auto answer = get({.url = server.url(), .max_redirects = 5});
    ASSERT_TRUE(answer.has_error()) << target << " " << answer->status << " " << answer->final_url;
    EXPECT_THAT(answer.error().message, StartsWith("redirected: ")) << target;
  }
}

TEST_F(Fetch, ChangesTheMethodOnlyWhereBrowsersDo) {
  for (const auto& [status, method, then] : {std::tuple{301, "POST", "GET"},
                                             {302, "POST", "GET"},
                                             {303, "PUT", "GET"},
                                             {303, "HEAD", "HEAD"},
                                             {307, "POST", "POST"},
                                             {308, "POST", "POST"},
                                             {302, "PUT", "PUT"}}) {
    std::promise<std::string> second;
    Loopback server([&, code = status](Peer& peer) {
      peer.read_request();
      peer.send("HTTP/1.1 " + std::to_string(code) + " Go\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n");
      second.set_value(peer.read_request());
      peer.send("HTTP/1.1 204 No Content\r\n\r\n");
    });
    FetchRequest request{.url = server.url(), .method = method};
    if (request.method != "HEAD") request.body = "payload";
    request.headers = {{"Content-Type", "text/plain"}};
    request.max_redirects = 1;
    EXPECT_EQ(get(request)->status, 204);
    const std::string text = second.get_future().get();
    EXPECT_THAT(text, StartsWith(std::string(then) + " /next ")) << status << method;
    EXPECT_EQ(text.ends_with("payload"), std::string_view(then).starts_with("P")) << status << method;
  }
}

TEST_F(Fetch, ForwardsNoCredentialsToAnotherOrigin) {
  std::promise<std::string> near, far;
  Loopback other([&](Peer& peer) {
    far.set_value(peer.read_request());
    peer.answer("");
  });
  Loopback server([&](Peer& peer) {
    peer.read_request();
    peer.answer("", "Location: /near\r\n", "307 Go");
    near.set_value(peer.read_request());
    peer.answer("", "Location: " + other.url("/far") + "\r\n", "307 Go");
  });
  FetchRequest request{.url = server.url(), .max_redirects = 5};
  request.headers = {{"Authorization", "Bearer hush"},
                     {"X-Api-Key", "hush"},
                     {"Cookie", "sid=hush"},
                     {"Accept", "text/html"},
                     {"User-Agent", "tester/1.0"}};
  ASSERT_EQ(get(request)->final_url, other.url("/far"));
  EXPECT_THAT(near.get_future().get(),
              AllOf(HasSubstr("Bearer hush"), HasSubstr("X-Api-Key: hush"), HasSubstr("sid=hush")));
  EXPECT_THAT(far.get_future().get(),
              AllOf(Not(HasSubstr("hush")), HasSubstr("Accept: text/html"), HasSubstr("User-Agent: tester/1.0")));
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

TEST_F(Fetch, IgnoresTheEnvironmentsProxies) {
  Loopback server(always("direct"));
  const std::string proxy = "http://127.0.0.1:" + std::to_string(closed_port());
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) ::setenv(name, proxy.c_str(), 1);
  const auto answer = get_url(server.url());
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "direct");
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

TEST_F(Fetch, ConnectsToNothingPrivateForAStranger) {
  Loopback canary(always("secret"));
  const std::string port = std::to_string(canary.port());
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]",
                                 "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "169.254.169.254", "10.0.0.1"}) {
    FetchRequest request{.url = "http://" + host + ":" + port + "/", .reach = Reach::public_only};
    expect_error(get(std::move(request)), Kind::invalid, "is not a public address with a web port");
  }
  EXPECT_EQ(canary.connections(), 0u);
}

TEST_F(Fetch, NeverLendsAStrangerAConnectionOfItsOwn) {
  Loopback server(always("secret"));
  ASSERT_EQ(get_url(server.url())->body, "secret");  // leaves an open connection behind
  expect_error(get({.url = server.url(), .reach = Reach::public_only}), Kind::invalid, "not a public address");
}

TEST_F(Fetch, ConnectsToNoPortBeyondTheWeb) {
  for (const char* url :
       {"http://8.8.8.8:22/", "http://8.8.8.8:25/", "http://8.8.8.8:6379/", "https://8.8.8.8:3306/"}) {
    expect_error(get({.url = url, .reach = Reach::public_only}), Kind::invalid, "web port");
  }
}

// Makes 8.8.8.8 an address of this machine's loopback device, in a network namespace of the calling process alone.
bool become_a_public_host() {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const int control = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto up = [control](const char* name, const char* address) {
    ifreq request{};
    std::string_view(name).copy(request.ifr_name, IFNAMSIZ - 1);
    auto& target = reinterpret_cast<sockaddr_in&>(request.ifr_addr);
    target.sin_family = AF_INET;
    target.sin_addr.s_addr = htonl(boost::asio::ip::make_address_v4(address).to_uint());
    if (::ioctl(control, SIOCSIFADDR, &request) != 0) return false;
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    return ::ioctl(control, SIOCSIFFLAGS, &request) == 0;
  };
  const bool done = up("lo", "127.0.0.1") && up("lo:0", "8.8.8.8");
  ::close(control);
  return done;
}

// A public site that answers, then redirects to a private one: run in a child process that has its own network.
int fetch_from_a_public_site_that_redirects_inwards() {
  constexpr int impossible_here = 77;
  if (!become_a_public_host()) return impossible_here;
  using Endpoint = boost::asio::ip::tcp::endpoint;
  Loopback canary(Endpoint(boost::asio::ip::address_v4::loopback(), 8080), always("secret"));
  Loopback site(Endpoint(boost::asio::ip::make_address("8.8.8.8"), 8080), [](Peer& peer) {
    while (true) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      if (request.starts_with("GET /in ")) {
        peer.answer("", "Location: http://127.0.0.1:8080/\r\n", "302 Found");
      } else {
        peer.answer("public");
      }
    }
  });
  boost::asio::io_context io;
  const auto get = [&io](std::string url) {
    FetchRequest request{.url = std::move(url), .reach = Reach::public_only, .max_redirects = 5};
    auto answer = boost::asio::co_spawn(io, fetch(std::move(request)), boost::asio::use_future);
    io.restart();
    io.run();
    return answer.get();
  };
  const auto outside = get("http://8.8.8.8:8080/");
  if (!outside || outside->body != "public") return 1;
  const auto mapped = get("http://[::ffff:8.8.8.8]:8080/");
  if (mapped.has_error() && mapped.error().kind == Kind::invalid) return 2;
  const auto inside = get("http://8.8.8.8:8080/in");
  if (!inside.has_error() || inside.error().kind != Kind::invalid) return 3;
  return canary.connections() == 0 ? 0 : 4;
}

TEST_F(Fetch, JudgesTheAddressAgainAfterARedirect) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(fetch_from_a_public_site_that_redirects_inwards());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no user and network namespaces here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace web
