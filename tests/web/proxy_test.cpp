// Relaying requests to an agent's gateway: the forwarded request, the response, and every failure.
#include "tests/support/loopback.h"
#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace proxy_test {

using test_support::closed_port;
using test_support::Loopback;
using test_support::Peer;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Proxy : public WireTest {
 protected:
  Proxy() {
    options.host_router = [this](const Request& request) -> std::optional<Result<ProxyTarget>> {
      if (expelled) return unauthenticated("Open this agent from the console");
      if (request.host == "nobody.box") return not_found("No agent lives at this address.");
      if (request.host != "agent.box") return {};
      return ProxyTarget{.host = "127.0.0.1",
                         .port = target_port,
                         .headers = {{"Authorization", "Bearer gateway"}},
                         .drop_headers = {"cookie"},
                         .request_target = {},
                         .answer = {}};
    };
  }

  // The agent's gateway: each connection runs `script`.
  void target(Loopback::Script script) {
    gateway.emplace(std::move(script));
    target_port = gateway->port();
  }
  static std::string for_agent(std::string_view method, std::string_view path, std::string_view rest = "\r\n") {
    return std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: agent.box\r\n" + std::string(rest);
  }
  void expect_failure(int status, std::string_view reason) {
    auto one = client();
    one.send(for_agent("GET", "/"));
    const auto answer = one.answer();
    EXPECT_EQ(answer.status, status);
    EXPECT_THAT(answer.body, HasSubstr(reason));
    one.send(get("/ask"));
    EXPECT_EQ(one.answer().status, 200);  // the box itself is well
  }

  static std::string upgrade(std::string_view origin) {
    return for_agent("GET", "/ws",
                     "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: " +
                         std::string(origin) + "\r\n\r\n");
  }

  std::atomic<bool> expelled = false;
  std::uint16_t target_port = 0;
  std::optional<Loopback> gateway;
};

constexpr std::string_view switching =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: as-the-agent-says\r\n\r\n";

TEST_F(Proxy, ForwardsOnlyEndToEndFields) {
  std::promise<std::string> seen;
  target([&](Peer& peer) {
    seen.set_value(peer.read_request());
    peer.answer("hello", "X-Agent: yes\r\nConnection: X-Hop\r\nX-Frame-Options: SAMEORIGIN\r\n");
  });
  serve();
  auto one = client();
  one.send(for_agent("POST", "/chat?q=1%2F2",
                     "Content-Length: 4\r\nAuthorization: Bearer of-the-box\r\nCookie: app-session=secret\r\n"
                     "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\nConnection: keep-alive, X-Private\r\n"
                     "X-Private: hop\r\nTE: trailers\r\nKeep-Alive: 5\r\nAccept: text/plain\r\n\r\nbody"));
  const auto answer = one.answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.headers.at("x-agent"), "yes");
  EXPECT_TRUE(answer.headers.contains("date"));
  EXPECT_THAT(seen.get_future().get(),
              AllOf(StartsWith("POST /chat?q=1%2F2 HTTP/1.1\r\n"), HasSubstr("\r\nHost: agent.box\r\n"),
                    HasSubstr("\r\nAuthorization: Bearer gateway\r\n"), HasSubstr("\r\nX-Forwarded-For: 127.0.0.1\r\n"),
                    HasSubstr("\r\nX-Forwarded-Proto: http\r\n"), HasSubstr("\r\nAccept: text/plain\r\n"),
                    HasSubstr("\r\nContent-Length: 4\r\n"), EndsWith("\r\n\r\nbody"), Not(HasSubstr("of-the-box")),
                    Not(HasSubstr("secret")), Not(HasSubstr("6.6.6.6")), Not(HasSubstr("X-Private")),
                    Not(HasSubstr("Keep-Alive")), Not(HasSubstr("trailers"))));
  one.send(get("/ask"));
  EXPECT_EQ(one.answer().body, "GET /ask");  // the connection goes on, to the box
  EXPECT_EQ(reached().size(), 1u);
}

// One header a request: the answers' headers are kept by name.
TEST_F(Proxy, DropsCookiesForOtherHostsThanTheAgentsOwn) {
  const std::vector<std::pair<std::string, bool>> cookies = {{"own=1; Path=/; HttpOnly", true},
                                                             {"named=1; Domain=agent.box", true},
                                                             {"dotted=1; domain=.AGENT.box", true},
                                                             {"parent=1; Domain=box", false},
                                                             {"other=1; Path=/; Domain = victim.box; Secure", false},
                                                             {"twice=1; Domain=agent.box; Domain=box", false},
                                                             {"empty=1; Domain=", false}};
  std::size_t next = 0;
  target([&](Peer& peer) {
    peer.read_request();
    peer.answer("hello", "Set-Cookie: " + cookies[next].first + "\r\n");
  });
  serve();
  for (; next < cookies.size(); ++next) {
    auto one = client();
    one.send(for_agent("GET", "/"));
    const auto answer = one.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.contains("set-cookie"), cookies[next].second) << cookies[next].first;
  }
}

TEST_F(Proxy, DropsFieldsThatReachBeyondThePage) {
  target([&](Peer& peer) {
    peer.read_request();
    peer.answer("hello",
                "Clear-Site-Data: \"*\"\r\nstrict-transport-security: max-age=0\r\nAlt-Svc: h3=\":444\"\r\n"
                "Service-Worker-Allowed: /\r\nAccess-Control-Allow-Origin: https://evil.example\r\n"
                "Access-Control-Allow-Credentials: true\r\nX-Agent: yes\r\n");
  });
  serve();
  auto one = client();
  one.send(for_agent("GET", "/"));
  const auto answer = one.answer();
  for (const auto* name : {"clear-site-data", "alt-svc", "service-worker-allowed", "access-control-allow-credentials"})
    EXPECT_FALSE(answer.headers.contains(name)) << name;
  EXPECT_FALSE(answer.headers.contains("strict-transport-security"));
  EXPECT_TRUE(answer.headers.contains("access-control-allow-origin")) << "a page may be readable without cookies";
  EXPECT_EQ(answer.headers.at("x-agent"), "yes");
}

TEST_F(Proxy, StreamsBodiesBeyondTheLimitBothWays) {
  const std::string big(3u << 20, 'b');
  target([&](Peer& peer) {
    const auto request = peer.read_request();
    peer.answer(request.substr(request.find("\r\n\r\n") + 4));
  });
  serve();
  auto one = client();
  std::thread sending([&] {
    one.send(for_agent("POST", "/", "Content-Length: " + std::to_string(big.size()) + "\r\n\r\n"));
    one.send(big);
  });
  const auto answer = one.answer();
  sending.join();
  EXPECT_EQ(answer.body, big);
}

TEST_F(Proxy, PassesChunksOnAsTheyCome) {
  std::promise<void> first_seen;
  target([&, seen = first_seen.get_future().share()](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    seen.wait();
    peer.send("6\r\nsecond\r\n0\r\n\r\n");
  });
  serve();
  auto one = client();
  one.send(for_agent("GET", "/events"));
  EXPECT_EQ(one.head().status, 200);
  EXPECT_EQ(one.take(10), "5\r\nfirst\r\n");
  first_seen.set_value();
  EXPECT_EQ(one.take(16), "6\r\nsecond\r\n0\r\n\r\n");
}

TEST_F(Proxy, SendsAResponseUntilCloseInChunks) {
  target([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end");
  });
  serve();
  auto one = client();
  one.send(for_agent("GET", "/") + for_agent("GET", "/"));
  EXPECT_EQ(one.answer().body, "until the end");
  EXPECT_EQ(one.answer().body, "until the end");
}

TEST_F(Proxy, HandlesResponsesWithoutABody) {
  target([](Peer& peer) {
    const auto request = peer.read_request();
    if (request.starts_with("HEAD")) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
    if (request.starts_with("GET /204")) peer.send("HTTP/1.1 204 No Content\r\n\r\n");
    if (request.starts_with("GET /304")) peer.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
    if (request.starts_with("GET /continued"))
      peer.send(
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n"
          "Content-Length: 2\r\n\r\nok");
    if (request.starts_with("GET /empty")) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  serve();
  auto one = client();
  one.send(for_agent("HEAD", "/") + for_agent("GET", "/204") + for_agent("GET", "/304") +
           for_agent("GET", "/continued") + for_agent("GET", "/empty") + get("/ask"));
  EXPECT_EQ(one.answer(true).headers.at("content-length"), "1234");
  EXPECT_EQ(one.answer().status, 204);
  EXPECT_EQ(one.answer().headers.at("etag"), "\"1\"");
  EXPECT_EQ(one.answer().body, "ok");
  EXPECT_EQ(one.answer().headers.at("content-length"), "0");
  EXPECT_EQ(one.answer().body, "GET /ask");
}

TEST_F(Proxy, AnEarlyAnswerCounts) {
  target([](Peer& peer) {
    peer.answer("too much", "Connection: close\r\n", "413 Content Too Large");
    peer.interrupt();
  });
  serve();
  auto one = client();
  one.send(
      for_agent("POST", "/", "Transfer-Encoding: chunked\r\n\r\n" + chunk(std::string(100'000, 'x')) + "0\r\n\r\n"));
  EXPECT_THAT(one.answer().status, ::testing::AnyOf(413, 502));  // a reset may overtake it
}

TEST_F(Proxy, SaysWhatIsWrongWithTheAgent) {
  target([](Peer&) {});
  target_port = closed_port();
  serve();
  expect_failure(502, "The agent cannot be reached");
}

TEST_F(Proxy, SaysThatTheAgentHungUp) {
  target([](Peer& peer) { peer.read_request(); });
  serve();
  expect_failure(502, "closed the connection before it answered");
}

TEST_F(Proxy, SaysThatTheAgentIsSilent) {
  options.limits.proxy_answer_time = 200ms;
  target([](Peer& peer) {
    peer.read_request();
    peer.wait_for_close();
  });
  serve();
  expect_failure(504, "does not answer");
}

TEST_F(Proxy, RefusesAMalformedAnswer) {
  static const std::vector<std::string> answers{
      "nonsense\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n"};
  target([turn = std::make_shared<std::atomic<std::size_t>>(0)](Peer& peer) {
    peer.read_request();
    peer.send(answers[(*turn)++]);
    peer.wait_for_close();
  });
  serve();
  for (std::size_t at = 0; at < answers.size(); ++at) expect_failure(502, "malformed");
}

TEST_F(Proxy, ATruncatedResponseIsTruncatedForTheClient) {
  target([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
  });
  serve();
  auto one = client();
  one.send(for_agent("GET", "/"));
  EXPECT_EQ(one.head().status, 200);
  EXPECT_EQ(one.rest(), "only this");
}

TEST_F(Proxy, AHostWithoutAgentIsAnsweredByTheBox) {
  serve();
  const auto answer = ask("POST / HTTP/1.1\r\nHost: nobody.box\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("No agent lives"));
}

TEST_F(Proxy, CarriesAWebSocketAsItIs) {
  target([](Peer& peer) {
    const auto request = peer.read_request();
    if (request.find("\r\nUpgrade: websocket\r\n") == std::string::npos) return peer.answer("no upgrade");
    peer.send(std::string(switching) + "first frame");
    peer.send(" and what you said: " + peer.take(5));
    peer.wait_for_close();
  });
  options.limits.tunnel_check_time = 1ms;
  serve();
  auto one = client();
  one.send(upgrade("http://agent.box"));
  const auto answer = one.head();
  EXPECT_EQ(answer.status, 101);
  EXPECT_EQ(answer.headers.at("sec-websocket-accept"), "as-the-agent-says");
  one.send("hello");
  EXPECT_EQ(one.take(36), "first frame and what you said: hello");
  one.close();
}

TEST_F(Proxy, AWebSocketEndsWhenItsRequestWouldNotBeAdmittedAnyMore) {
  target([](Peer& peer) {
    peer.read_request();
    peer.send(std::string(switching));
    peer.wait_for_close();
  });
  options.limits.tunnel_check_time = 10ms;
  serve();
  auto one = client();
  one.send(upgrade("http://agent.box"));
  EXPECT_EQ(one.head().status, 101);
  expelled = true;
  EXPECT_TRUE(one.closed());
}

constexpr std::string_view events =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n: hi\n\n\r\n";

TEST_F(Proxy, AStreamEndsWhenItsRequestWouldNotBeAdmittedAnyMore) {
  target([](Peer& peer) {
    peer.read_request();
    peer.send(std::string(events));
    peer.wait_for_close();
  });
  options.limits.tunnel_check_time = 10ms;
  serve();
  auto one = client();
  one.send(for_agent("GET", "/events"));
  EXPECT_EQ(one.head().status, 200);
  EXPECT_THAT(one.take(11), HasSubstr(": hi"));
  expelled = true;
  EXPECT_TRUE(one.closed());
}

TEST_F(Proxy, AStreamOfEventsDoesNotHoldADrain) {
  target([](Peer& peer) {
    peer.read_request();
    peer.send(std::string(events));
    peer.wait_for_close();
  });
  serve();
  auto one = client();
  one.send(for_agent("GET", "/events"));
  EXPECT_EQ(one.head().status, 200);
  EXPECT_EQ(drain(60s).wait_for(20s), std::future_status::ready);
}

// Drained while its agent still thinks.
TEST_F(Proxy, AStreamThatBeginsWhileTheBoxDrainsDoesNotHoldIt) {
  std::promise<void> asked, answer;
  target([&](Peer& peer) {
    peer.read_request();
    asked.set_value();
    answer.get_future().wait();
    peer.send(std::string(events));
    peer.wait_for_close();
  });
  serve();
  auto one = client();
  one.send(for_agent("GET", "/events"));
  asked.get_future().wait();
  auto drained = drain(60s);
  answer.set_value();
  EXPECT_EQ(drained.wait_for(20s), std::future_status::ready);
}

TEST_F(Proxy, AlwaysNamesAHost) {
  target([](Peer& peer) { peer.answer(peer.read_request()); });
  serve();
  const auto received = [&](const std::string& request) { return ask(request).body; };
  EXPECT_THAT(received(for_agent("GET", "/", "Connection: Host\r\n\r\n")), HasSubstr("\r\nHost: agent.box\r\n"));
}

TEST_F(Proxy, RefusesAnotherSitesWebSocket) {
  target([](Peer& peer) { peer.answer("reached"); });
  serve();
  EXPECT_EQ(ask(upgrade("http://evil.box")).status, 403);
  EXPECT_EQ(gateway->connections(), 0u);
}

}  // namespace proxy_test
}  // namespace web::tests
