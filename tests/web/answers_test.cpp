// The headers of every response, whichever part of the engine made it.
#include "tests/support/loopback.h"
#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace answers_test {

using test_support::closed_port;
using test_support::Loopback;
using test_support::Peer;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Guard torn{.name = "session", .scheme = "cookie", .admit = [](const Request&) -> Result<Caller> {
                   throw std::runtime_error("the sessions cannot be read: key hunter2");
                 }};
const RateLimit once{.group = "once", .limit = 1, .window = std::chrono::seconds(600)};

class Answers : public WireTest {
 protected:
  Answers() {
    options.browser = true;
    options.rate_limits = true;
    options.limits.body_bytes = 100;
    auto nothing = [this](Request&) -> Task<Result<Response>> {
      note("handler");
      co_return Response{};
    };
    auto busy = [](Request&) -> Task<Result<Response>> {
      auto error = unavailable("Later.");
      co_return error;
    };
    auto socket = [](Request&) -> Task<Result<Response>> {
      Response answer;
      answer.body = Upgrade([](WebSocket&) -> Task<> { co_return; });
      co_return answer;
    };
    append(options.routes, {{GET, "/torn", torn, nullptr, plain(nothing), "Its guard fails"},
                            {GET, "/once", open_door, &once, plain(nothing), "Limited"},
                            {GET, "/busy", open_door, nullptr, plain(busy), "Never now"},
                            {GET, "/health", open_door, nullptr, plain(nothing), "Alive"},
                            {GET, "/socket", open_door, nullptr, plain(socket), "A WebSocket"}});
    options.host_router = [port = closed_port()](const Request& request) -> std::optional<Result<ProxyTarget>> {
      if (request.host == "nobody") return not_found("No agent lives at this address.");
      if (request.host == "broken") throw std::runtime_error("the agents cannot be read: key hunter2");
      if (request.host != "dead" && request.host != "moved") return {};
      ProxyTarget target{
          .host = "127.0.0.1", .port = port, .headers = {}, .drop_headers = {}, .request_target = {}, .answer = {}};
      if (request.host == "moved") target.answer = redirect("/");
      return target;
    };
  }

  // One answer as its bytes.
  std::string raw(std::string_view request) {
    auto one = client();
    one.send(request);
    return one.rest();
  }
  static std::string to(std::string_view host) {
    return "GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\nConnection: close\r\n\r\n";
  }
};

std::size_t count_of(std::string_view name, std::string_view answer) {
  std::size_t count = 0;
  for (auto at = answer.find(name); at != std::string_view::npos; at = answer.find(name, at + 1)) ++count;
  return count;
}

TEST_F(Answers, HaveTheSecurityHeadersAndAnIdOnceWhereverTheyComeFrom) {
  serve();
  const std::string close = "Connection: close\r\n";
  const std::vector<std::pair<std::string, std::string>> exchanges{
      {"200", get("/ask", close)},
      {"204", "OPTIONS /ask HTTP/1.1\r\nHost: box\r\n" + close + "\r\n"},
      {"302", to("moved")},
      {"400", "GET / HTTP/1.1\r\nHost: box\r\nBad Field: x\r\n\r\n"},
      {"400", get("/%00")},
      {"404", get("/nowhere", close)},
      {"404", to("nobody")},
      {"405", "DELETE /ask HTTP/1.1\r\nHost: box\r\n" + close + "\r\n"},
      {"413", post(std::string(101, 'x'))},
      {"426", get("/socket", close)},
      {"500", get("/torn", close)},
      {"500", to("broken")},
      {"501", "BREW / HTTP/1.1\r\nHost: box\r\n\r\n"},
      {"502", to("dead")},
      {"503", get("/busy", close)}};
  for (const auto& [status, request] : exchanges) {
    const auto answer = raw(request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + status + " ")) << request;
    for (const auto* field :
         {"\r\nX-Content-Type-Options: nosniff\r\n", "\r\nX-Frame-Options: DENY\r\n", "\r\nReferrer-Policy: ",
          "\r\nContent-Security-Policy: ", "\r\nCache-Control: no-store\r\n", "\r\nX-Request-Id: ", "\r\nDate: "})
      EXPECT_EQ(count_of(field, answer), 1u) << field << " in " << answer;
    EXPECT_THAT(answer, ::testing::Not(HasSubstr("hunter2")));
  }
}

TEST_F(Answers, HaveOneRetryAfter) {
  serve();
  EXPECT_EQ(count_of("\r\nRetry-After: ", raw(get("/busy", "Connection: close\r\n"))), 1u);
  ask(get("/once"));
  const auto limited = raw(get("/once", "Connection: close\r\n"));
  EXPECT_THAT(limited, StartsWith("HTTP/1.1 429 "));
  EXPECT_EQ(count_of("\r\nRetry-After: ", limited), 1u);
}

TEST_F(Answers, HaveOneRetryAfterFromABusyBoxWhoseHealthRouteStillAnswers) {
  options.limits.in_flight = 1;
  serve();
  auto running = client();
  running.send(get("/gate"));
  arrived.get_future().wait();
  const auto busy = raw(get("/ask", "Connection: close\r\n"));
  EXPECT_THAT(busy, StartsWith("HTTP/1.1 503 "));
  EXPECT_EQ(count_of("\r\nRetry-After: ", busy), 1u);
  EXPECT_THAT(raw(get("/health", "Connection: close\r\n")), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(raw("HEAD /health HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Answers, OfAFailingGuardComeBeforeItsHandler) {
  serve();
  const auto answer = ask(get("/torn"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, R"({"error":"Internal error"})");
  EXPECT_TRUE(reached().empty());
}

TEST_F(Answers, HaveIdsOfTheirOwn) {
  serve();
  const auto first = ask(get("/ask", "X-Request-Id: forged\r\n")), second = ask(get("/ask"));
  EXPECT_NE(first.headers.at("x-request-id"), "forged");
  EXPECT_NE(first.headers.at("x-request-id"), second.headers.at("x-request-id"));
}

TEST(Response, TakesAFieldOnceAndAnyNumberOfCookies) {
  Response response;
  response.set("Vary", "Origin").set("vary", "Cookie").set("Set-Cookie", "a=1").set("Set-Cookie", "b=2");
  const std::vector<std::pair<std::string, std::string>> fields{
      {"Vary", "Cookie"}, {"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}};
  EXPECT_EQ(response.headers, fields);
}

TEST(Response, RefusesValuesThatWouldForgeAField) {
  Response response;
  for (const auto* value : {"a\r\nX-Forged: 1", "a\nb", "a\rb"})
    EXPECT_THROW(response.set("X-Name", value), std::logic_error) << value;
  EXPECT_THROW(response.set("X-Name", std::string("a\0b", 3)), std::logic_error);
  for (const auto* name : {"", "X Name", "X-Name:", "X-Name\r\n"})
    EXPECT_THROW(response.set(name, "value"), std::logic_error) << name;
  EXPECT_EQ(redirect("/a b\r\nX-Forged: 1\xc3\xa4").headers.front().second, "/a%20b%0D%0AX-Forged:%201%C3%A4");
}

}  // namespace answers_test
}  // namespace web::tests
