// From a request to its row: guards, the CSRF rule, limits, errors and the headers of every response.
#include <boost/json.hpp>

#include "tests/web/wire_fixture.h"
#include "web/metrics.h"
#include "web/protocol/request_head.h"
#include "web/routes/endpoint.h"

namespace web::tests {
namespace dispatch_test {

using ::testing::HasSubstr;
using ::testing::Not;

const Guard members{.name = "session", .scheme = "cookie", .admit = [](const Request& request) -> Result<Caller> {
                      if (request.cookies("app-session") != std::vector<std::string_view>{"good"})
                        return unauthenticated();
                      return Caller{.user_id = 7, .admin = false, .agent = {}, .credential = {}};
                    }};
const Guard machines{.name = "internal key", .scheme = "bearer", .admit = [](const Request& request) -> Result<Caller> {
                       if (request.bearer() != "machine") return unauthenticated();
                       return Caller{};
                     }};
const RateLimit three{.group = "three", .limit = 3, .window = std::chrono::seconds(600), .message = "Three is enough."};
const RateLimit guesses{.group = "guesses", .limit = 3, .window = std::chrono::seconds(600), .limits_guesses = true};

class Dispatch : public WireTest {
 protected:
  Dispatch() {
    options.browser = true;
    options.rate_limits = true;
    options.base_rate = RateLimit{.group = "all", .limit = 1000};
    options.csrf_valid = [](const Request&, std::string_view token) { return token == "valid"; };
    options.explain = [](std::exception_ptr failure) -> std::optional<Error> {
      try {
        std::rethrow_exception(failure);
      } catch (const std::out_of_range& error) {
        return unavailable(error.what());
      } catch (...) {
        return {};
      }
    };
    auto mine = [this](Request& request) -> Task<Result<Response>> {
      note("mine");
      auto answer = text(std::to_string(request.caller.user_id));
      co_return answer;
    };
    auto page = [](Request&) -> Task<Result<Response>> {
      auto answer = text("<p>", "text/html; charset=utf-8");
      co_return answer;
    };
    auto failing = [](Request&) -> Task<Result<Response>> {
      throw std::runtime_error("the password is hunter2");
      co_return Response{};
    };
    auto full = [](Request&) -> Task<Result<Response>> {
      throw std::out_of_range("the disk is full");
      co_return Response{};
    };
    auto item = [](Request& request) -> Task<Result<Response>> {
      auto answer = text(request.param("id") + " " + request.client_address + (request.secure ? " https" : " http"));
      co_return answer;
    };
    append(options.routes, {{GET, "/api/mine", members, nullptr, plain(mine), "Whose"},
                            {POST, "/api/mine", members, nullptr, plain(mine), "Whose"},
                            {POST, "/api/machine", machines, nullptr, plain(mine), "For machines"},
                            {GET, "/page", open_door, nullptr, plain(page), "A page"},
                            {GET, "/api/failing", open_door, nullptr, plain(failing), "Throws"},
                            {GET, "/api/full", open_door, nullptr, plain(full), "Throws what can be explained"},
                            {GET, "/api/three", open_door, &three, plain(page), "Limited"},
                            {GET, "/api/guesses", open_door, &guesses, plain(page), "Guesses at a secret"},
                            {GET, "/api/items/:id", open_door, nullptr, plain(item), "One"}});
  }

  static std::string request(std::string_view method, std::string_view path, std::string_view fields = {}) {
    return std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: box\r\n" + std::string(fields) + "\r\n";
  }
};

TEST_F(Dispatch, TheGuardRunsBeforeTheHandler) {
  serve();
  const auto stranger = ask(get("/api/mine"));
  EXPECT_EQ(stranger.status, 401);
  EXPECT_FALSE(stranger.headers.contains("www-authenticate"));  // a browser would prompt for a password
  EXPECT_EQ(ask(get("/api/mine", "Cookie: app-session=good; app-session=good\r\n")).status, 401);
  const auto machine = ask(request("POST", "/api/machine"));
  EXPECT_EQ(machine.status, 401);
  EXPECT_EQ(machine.headers.at("www-authenticate"), "Bearer");
  EXPECT_TRUE(reached().empty());
  EXPECT_EQ(ask(get("/api/mine", "Cookie: other=1; app-session=good\r\n")).body, "7");
  EXPECT_EQ(ask(request("POST", "/api/machine", "Authorization: bearer machine\r\n")).status, 200);
}

TEST_F(Dispatch, ACallerWithoutAKeyUsesUpNothingOfTheLimit) {
  options.base_rate = RateLimit{.group = "all", .limit = 2};
  serve();
  for (int more = 0; more < 5; ++more) EXPECT_EQ(ask(request("POST", "/api/machine")).status, 401);
  const auto machine = ask(request("POST", "/api/machine", "Authorization: Bearer machine\r\n"));
  EXPECT_EQ(machine.status, 200);
  EXPECT_EQ(machine.headers.at("ratelimit-remaining"), "1");
}

TEST_F(Dispatch, ARefusalForRateGoesToItsPage) {
  options.refusal_pages = {{"/api/three", "/login?error=Busy"}};
  serve();
  for (int more = 0; more < 3; ++more) EXPECT_EQ(ask(get("/api/three")).status, 200);
  const auto refused = ask(get("/api/three"));
  EXPECT_EQ(refused.status, 302);
  EXPECT_EQ(refused.headers.at("location"), "/login?error=Busy");
}

TEST_F(Dispatch, ACrossSiteRequestNeedsTheToken) {
  serve();
  const std::string cookie = "Cookie: app-session=good\r\n";
  const auto status = [&](std::string_view fields) {
    return ask(request("POST", "/api/mine", cookie + std::string(fields))).status;
  };
  EXPECT_EQ(status(""), 200);  // no browser
  EXPECT_EQ(status("Sec-Fetch-Site: same-origin\r\n"), 200);
  EXPECT_EQ(status("Sec-Fetch-Site: none\r\n"), 200);
  EXPECT_EQ(status("Sec-Fetch-Site: none\r\nOrigin: http://box\r\n"), 200);
  EXPECT_EQ(status("Sec-Fetch-Site: none\r\nOrigin: http://evil\r\n"), 403);
  EXPECT_EQ(status("Sec-Fetch-Site: none\r\nOrigin: null\r\n"), 403);
  EXPECT_EQ(status("Sec-Fetch-Site: same-site\r\n"), 403);
  EXPECT_EQ(status("Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(status("Origin: http://box\r\n"), 200);
  EXPECT_EQ(status("Origin: http://evil\r\n"), 403);
  EXPECT_EQ(status("Origin: null\r\n"), 403);
  EXPECT_EQ(status("Sec-Fetch-Site: cross-site\r\nX-CSRF-Token: wrong\r\n"), 403);
  EXPECT_EQ(status("Sec-Fetch-Site: cross-site\r\nX-CSRF-Token: valid\r\n"), 200);
  EXPECT_EQ(ask(get("/api/mine", cookie + "Sec-Fetch-Site: cross-site\r\n")).status, 200);
  EXPECT_EQ(ask(request("POST", "/api/machine", "Authorization: Bearer machine\r\nOrigin: http://evil\r\n")).status,
            200);
}

TEST_F(Dispatch, AnHttpPageIsCrossSiteForHttps) {
  options.trusted_proxies = {"127.0.0.1"};
  serve();
  const auto status = [&](std::string_view fields) {
    return ask(request("POST", "/api/mine", "Cookie: app-session=good\r\n" + std::string(fields))).status;
  };
  EXPECT_EQ(status("X-Forwarded-Proto: https\r\nOrigin: https://box\r\n"), 200);
  EXPECT_EQ(status("X-Forwarded-Proto: https\r\nOrigin: http://box\r\n"), 403);
  EXPECT_EQ(status("Origin: https://box\r\n"), 200) << "a proxy may have taken the TLS off without saying so";
}

TEST_F(Dispatch, EveryAnswerCarriesTheSecurityHeadersAndItsId) {
  serve();
  for (const auto& bytes : {get("/ask"), get("/nowhere"), get("/api/mine"), get("/api/failing"), get("/api/full"),
                            request("DELETE", "/ask"), request("OPTIONS", "/ask")}) {
    const auto answer = ask(bytes);
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff") << bytes;
    EXPECT_EQ(answer.headers.at("x-frame-options"), "DENY") << bytes;
    EXPECT_EQ(answer.headers.at("referrer-policy"), "no-referrer") << bytes;
    EXPECT_THAT(answer.headers.at("content-security-policy"), HasSubstr("default-src 'none'")) << bytes;
    EXPECT_EQ(answer.headers.at("cache-control"), "no-store") << bytes;
    EXPECT_EQ(answer.headers.at("x-request-id").size(), 16u) << bytes;
    EXPECT_TRUE(answer.headers.contains("date")) << bytes;
  }
  EXPECT_THAT(ask(get("/page")).headers.at("content-security-policy"),
              ::testing::AllOf(HasSubstr("script-src 'self'"), Not(HasSubstr("unsafe"))));
}

TEST_F(Dispatch, OptionsOfTheWholeServer) {
  serve();
  auto one = client();
  one.send(request("OPTIONS", "*") + get("/ask"));
  const auto answer = one.answer();
  EXPECT_EQ(answer.status, 204);
  EXPECT_THAT(answer.headers.at("allow"), HasSubstr("GET"));
  EXPECT_EQ(one.answer().status, 200) << "on the same connection";
  EXPECT_EQ(ask(request("GET", "*")).status, 400);
}

TEST_F(Dispatch, AnAbsoluteFormWithoutAPathIsTheRoot) {
  auto root = [](Request& request) -> Task<Result<Response>> {
    auto answer = text(request.path + " " + std::string(request.query) + " " + origin_form(request));
    co_return answer;
  };
  append(options.routes, {{GET, "/", open_door, nullptr, plain(root), "The root"}});
  serve();
  EXPECT_EQ(ask(request("GET", "http://BOX:80?x=1")).body, "/ x=1 /?x=1");
  EXPECT_EQ(ask(request("GET", "http://box")).body, "/  /");
}

TEST_F(Dispatch, AnInternalErrorRevealsNoDetailsToTheClient) {
  serve();
  const auto failed = ask(get("/api/failing"));
  EXPECT_EQ(failed.status, 500);
  EXPECT_EQ(failed.body, R"({"error":"Internal error"})");
  const auto explained = ask(get("/api/full"));
  EXPECT_EQ(explained.status, 503);
  EXPECT_THAT(explained.body, HasSubstr("the disk is full"));
  EXPECT_TRUE(explained.headers.contains("retry-after"));
}

TEST_F(Dispatch, ALimitedRouteCountsDown) {
  serve();
  auto one = client();
  for (const std::string left : {"2", "1", "0"}) {
    one.send(get("/api/three"));
    const auto answer = one.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("ratelimit-limit"), "3");
    EXPECT_EQ(answer.headers.at("ratelimit-remaining"), left);
  }
  one.send(get("/api/three"));
  const auto refused = one.answer();
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("Three is enough."));
  EXPECT_GT(std::stoi(refused.headers.at("retry-after")), 500);
  one.send(get("/api/items/1"));
  EXPECT_EQ(one.answer().status, 200);
}

TEST_F(Dispatch, ATrustedProxyNamesTheClient) {
  options.trusted_proxies = {"127.0.0.0/8", "10.0.0.1"};
  serve();
  const auto seen = [&](std::string_view fields) { return ask(get("/api/items/x", fields)).body; };
  EXPECT_EQ(seen(""), "x 127.0.0.1 http");
  EXPECT_EQ(seen("X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\n"), "x 203.0.113.9 https");
  EXPECT_EQ(seen("X-Forwarded-For: 6.6.6.6, 203.0.113.9, 10.0.0.1\r\n"), "x 203.0.113.9 http");
  auto one = client();
  for (int i = 0; i < 4; ++i) {
    one.send(get("/api/three", "X-Forwarded-For: 203.0.113.1\r\n"));
    EXPECT_EQ(one.answer().status, i < 3 ? 200 : 429);
  }
  one.send(get("/api/three", "X-Forwarded-For: 203.0.113.2\r\n"));
  EXPECT_EQ(one.answer().status, 200);
}

TEST_F(Dispatch, AnUntrustedPeerCannotNameAnotherClient) {
  serve();
  EXPECT_EQ(ask(get("/api/items/x", "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\n")).body,
            "x 127.0.0.1 http");
}

TEST_F(Dispatch, PathsAreDecodedOnceAndNeverClimb) {
  serve();
  EXPECT_THAT(ask(get("/api/items/a%20b%C3%BC")).body, HasSubstr("a b\xc3\xbc"));
  EXPECT_THAT(ask(get("/api/items/%2541")).body, HasSubstr("%41"));
  for (const auto* path : {"/api/items/%2e%2e", "/api/items/..", "/api/items/a%2fb", "/api/items/a%5cb",
                           "/api/items/a%00b", "/api/items/%zz", "/api/items/%ff", "/api/items/a%0ab"})
    EXPECT_EQ(ask(get(path)).status, 400) << path;
  EXPECT_EQ(ask(get("/api/items/")).status, 404);
  EXPECT_EQ(ask(get("/api//items/1")).status, 404);
}

TEST_F(Dispatch, ARestParameterAcceptsEncodedSlashes) {
  auto thing = [](Request& request) -> Task<Result<Response>> {
    auto answer = text(request.param("name"));
    co_return answer;
  };
  append(options.routes,
         {{GET, "/things/:name+", open_door, nullptr, plain(thing), "One thing"},
          {GET, "/things/new", open_door, nullptr, plain(thing).describe("No parameter"), "A new one"}});
  serve();
  const auto found = [&](std::string_view path) { return ask(get(path)).body; };
  EXPECT_EQ(found("/things/a"), "a");
  EXPECT_EQ(found("/things/a/b//c/"), "a/b//c/");
  EXPECT_EQ(found("/things/a%2Fb%2fc"), "a/b/c");
  EXPECT_EQ(found("/things/%2541%20"), "%41 ");
  EXPECT_EQ(found("/things/new/one"), "new/one");
  EXPECT_EQ(ask(get("/things/new")).status, 500) << "the literal segment wins: its row has no such parameter";
  EXPECT_EQ(ask(get("/things")).status, 404);
  EXPECT_EQ(ask(get("/things/")).status, 404);
  EXPECT_EQ(ask(request("DELETE", "/things/a/b")).headers.at("allow"), "GET, HEAD, OPTIONS");
  for (const auto* path : {"/things/..%2fapi%2fmine", "/things/a%2f..", "/things%2fa", "/things/a%5cb", "/things/a%00"})
    EXPECT_EQ(ask(get(path)).status, 400) << path;
  const auto document = boost::json::parse(ask(get("/api/openapi.json")).body);
  const auto& described = document.at("paths").at("/things/{name}").at("get");
  EXPECT_EQ(described.at("parameters").at(0).at("name"), "name");
  EXPECT_EQ(described.at("operationId"), "get_things_name");
}

// Errors below /form in another form.
class ErrorForms : public Dispatch {
 protected:
  ErrorForms() {
    options.limits.body_bytes = 100;
    options.error_forms = {{.prefix = "/form", .body = [](const Error& error) {
                              return boost::json::object{{"problem", error.message}, {"kind", http_status(error.kind)}};
                            }}};
    auto word = [](Request&, boost::json::object) -> Task<Result<Response>> { co_return json(boost::json::object{}); };
    auto busy = [](Request&) -> Task<Result<Response>> { co_return unavailable("Not now."); };
    append(options.routes, {{POST, "/form/word", machines, nullptr, body<boost::json::object>(word), "A word"},
                            {GET, "/form/three", open_door, &three, plain(busy), "Limited"},
                            {GET, "/formal", open_door, nullptr, plain(busy), "Beside it"}});
  }
  static std::string word(std::string_view body, std::string_view fields = "Authorization: Bearer machine\r\n") {
    return "POST /form/word HTTP/1.1\r\nHost: box\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(fields) + "\r\n" + std::string(body);
  }
};

TEST_F(ErrorForms, ApplyToEveryErrorBelowTheirPrefix) {
  serve();
  const auto stranger = ask(word("{}", ""));
  EXPECT_EQ(stranger.body, R"({"problem":"Unauthorized","kind":401})");
  EXPECT_EQ(stranger.headers.at("www-authenticate"), "Bearer");
  EXPECT_EQ(stranger.headers.at("content-type"), "application/json");

  EXPECT_EQ(ask(get("/form/nowhere")).body, R"({"problem":"Not found","kind":404})");
  EXPECT_EQ(ask(get("/form")).body, R"({"problem":"Not found","kind":404})");
  const auto wrong = ask(request("DELETE", "/form/word"));
  EXPECT_EQ(wrong.status, 405);
  EXPECT_THAT(wrong.body, HasSubstr(R"("problem":"Method not allowed")"));
  EXPECT_EQ(wrong.headers.at("allow"), "POST, OPTIONS");

  EXPECT_THAT(ask(word("{")).body, HasSubstr(R"("kind":400)"));
  const auto large = ask(word(std::string(101, ' ')));
  EXPECT_EQ(large.status, 413);
  EXPECT_THAT(large.body, HasSubstr(R"("kind":413)"));

  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(get("/form/three")).body, R"({"problem":"Not now.","kind":503})");
  const auto limited = ask(get("/form/three"));
  EXPECT_EQ(limited.body, R"({"problem":"Three is enough.","kind":429})");
  EXPECT_GT(std::stoi(limited.headers.at("retry-after")), 500);
  EXPECT_EQ(limited.headers.at("ratelimit-remaining"), "0");
}

TEST_F(ErrorForms, ApplyToShedRequests) {
  options.limits.in_flight = 1;
  serve();
  auto running = client();
  running.send(get("/gate"));
  arrived.get_future().wait();
  const auto shed = ask(get("/form/three"));
  EXPECT_EQ(shed.body, R"({"problem":"The box is busy. Try again in a moment.","kind":503})");
  EXPECT_EQ(shed.headers.at("retry-after"), "1");
}

TEST_F(ErrorForms, ChangeNothingElsewhere) {
  serve();
  EXPECT_EQ(ask(get("/nowhere")).body, R"({"error":"Not found"})");
  EXPECT_EQ(ask(get("/formal")).body, R"({"error":"Not now."})");
  EXPECT_EQ(ask(get("/formal/x")).body, R"({"error":"Not found"})");
  EXPECT_EQ(ask(request("DELETE", "/ask")).body, R"({"error":"Method not allowed"})");
  EXPECT_EQ(ask(post(std::string(101, 'x'))).body,
            R"({"error":"The request body is larger than this server takes.","limit":100})");
}

TEST_F(Dispatch, TheLimitsOnGuessesHaveTheirOwnSwitch) {
  options.rate_limits = false;
  serve();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(get("/api/guesses")).status, 200);
  EXPECT_EQ(ask(get("/api/guesses")).status, 429);
  EXPECT_FALSE(ask(get("/api/three")).headers.contains("ratelimit-limit"));
  EXPECT_FALSE(ask(get("/api/nothing")).headers.contains("ratelimit-limit"));
}

TEST_F(Dispatch, WithoutTheLimitsOnGuessesTheOthersRemain) {
  options.login_limits = false;
  serve();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(get("/api/guesses")).status, 200);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(get("/api/three")).status, 200);
  EXPECT_EQ(ask(get("/api/three")).status, 429);
}

TEST_F(Dispatch, ServesItsOwnDocument) {
  serve();
  const auto document = boost::json::parse(ask(get("/api/openapi.json")).body);
  EXPECT_EQ(document.at("openapi").as_string(), "3.1.0");
  EXPECT_EQ(document.at("info").at("title").as_string(), "agentbox test API");
  const auto& one = document.at("paths").at("/api/items/{id}").at("get");
  EXPECT_EQ(one.at("parameters").as_array().size(), 1u);
  EXPECT_EQ(one.at("x-guard").as_string(), "none");
  const auto& mine = document.at("paths").at("/api/mine").at("post");
  EXPECT_EQ(mine.at("x-guard").as_string(), "session");
  EXPECT_TRUE(mine.at("responses").as_object().contains("401"));
  EXPECT_TRUE(document.at("paths").at("/api/three").at("get").at("responses").as_object().contains("429"));
}

TEST_F(Dispatch, TheListenersLimitAppliesToUnmatchedPathsToo) {
  options.base_rate = RateLimit{.group = "all", .limit = 3, .message = "Slowly."};
  serve();
  EXPECT_EQ(ask(get("/api/nothing")).headers.at("ratelimit-remaining"), "2");
  EXPECT_EQ(ask(request("DELETE", "/api/mine")).status, 405);
  EXPECT_EQ(ask(get("/api/nothing")).status, 404);
  const auto refused = ask(get("/api/nothing/either"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.body.find("Slowly."), std::string::npos);
  EXPECT_TRUE(refused.headers.contains("retry-after"));
  EXPECT_EQ(ask(get("/api/failing")).status, 429);  // one window for all of them
  EXPECT_EQ(ask(get("/elsewhere")).status, 404);
  EXPECT_EQ(ask(get("/page")).status, 200);
}

struct Word {
  Text<1, 10> word;
};
BOOST_DESCRIBE_STRUCT(Word, (), (word))

TEST(Documents, NameTheErrorsThatARowCanHave) {
  const Guard open{.name = "none", .scheme = "", .admit = {}}, key{.name = "key", .scheme = "bearer", .admit = {}};
  const Guard session{.name = "session", .scheme = "cookie", .admit = {}};
  const Guard admin{.name = "admin", .scheme = "cookie", .admit = {}, .forbids = true};
  const RateLimit slowly{.group = "slowly", .limit = 1};
  const auto answer = [](Request&) -> Task<Result<Response>> { co_return json(boost::json::object{}); };
  const auto input = [answer](Request& request, Word) { return answer(request); };
  auto other = plain(answer);
  const auto other_form = boost::json::parse(R"({"title":"another form"})");
  other.problem = [&] { return other_form; };
  const auto document =
      openapi({{GET, "/plain", open, nullptr, plain(answer), ""},
               {GET, "/query", key, nullptr, query<Word>(input), ""},
               {POST, "/body", session, &slowly, body<Word>(input), ""},
               {GET, "/admin/:id", admin, nullptr, plain(answer), ""},
               {GET, "/mine", session, nullptr, plain(answer).fails({Kind::bad_gateway, Kind::conflict}), ""},
               {GET, "/other", key, nullptr, std::move(other), ""}},
              "", "", "");
  const auto statuses = [&](const char* path, const char* method) {
    std::string all;
    for (const auto& one : document.at("paths").at(path).at(method).at("responses").as_object())
      if (one.key() != "default") all += std::string(one.key()) + " ";
    return all;
  };
  EXPECT_EQ(statuses("/plain", "get"), "200 ");
  EXPECT_EQ(statuses("/query", "get"), "200 400 401 ");
  EXPECT_EQ(statuses("/body", "post"), "200 400 401 403 413 415 429 ");
  EXPECT_EQ(statuses("/admin/{id}", "get"), "200 401 403 404 ");
  EXPECT_EQ(statuses("/mine", "get"), "200 401 409 502 ");
  const auto problem = [&](const char* path) {
    const auto& refused = document.at("paths").at(path).at("get").at("responses").at("401");
    return refused.at("content").at("application/json").at("schema");
  };
  EXPECT_EQ(problem("/mine"), boost::json::parse(R"({"$ref":"#/components/schemas/Error"})"));
  EXPECT_EQ(problem("/other"), other_form);
}

TEST_F(Dispatch, CountsByRouteAndNeverByClientInput) {
  options.name = "counted";
  serve();
  ask(get("/api/items/1"));
  ask(get("/api/items/2"));
  for (int i = 0; i < 50; ++i) ask(get("/made/up/" + std::to_string(i)));
  // Counted after the response is sent, maybe a moment after the client has read it.
  const std::string last = "listener=\"counted\",method=\"any\",route=\"unmatched\",status=\"4xx\"} 50\n";
  std::string text;
  for (auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
       text.find(last) == std::string::npos && std::chrono::steady_clock::now() < until;)
    text = metrics().text();
  EXPECT_THAT(text, HasSubstr("agentbox_http_requests_total{listener=\"counted\",method=\"GET\","
                              "route=\"/api/items/:id\",status=\"2xx\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(last));
  EXPECT_THAT(text, Not(HasSubstr("made/up")));
  // Times are not kept by route: a histogram has twenty lines.
  const std::string seconds = "agentbox_http_request_duration_seconds_count{listener=\"counted\",";
  EXPECT_THAT(text, HasSubstr(seconds + "class=\"read\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(seconds + "class=\"other\"} 50\n"));
  EXPECT_THAT(text, Not(HasSubstr(seconds + "method")));
}

TEST(Tables, AreCheckedWhenTheListenerStarts) {
  IoPool pool(1);
  const auto refused = [&](std::vector<Route> rows) -> std::string {
    Server server(pool);
    ListenerOptions options;
    options.name = "table";
    options.listen = "127.0.0.1:0";
    options.routes = std::move(rows);
    try {
      server.listen(std::move(options));
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  const Guard nobody{.name = "nobody", .scheme = "", .admit = {}};
  const auto handler = [](Request&) -> Task<Result<Response>> { co_return Response{}; };
  const auto row = [&](std::string path, const Guard& guard = open_door) {
    return Route{GET, std::move(path), guard, nullptr, plain(handler), ""};
  };
  EXPECT_EQ(refused({row("/a/:x"), row("/a/b")}), "");
  EXPECT_THAT(refused({row("/a/:x"), row("/a/:y")}), HasSubstr("/a/:y"));
  EXPECT_THAT(refused({row("/a"), row("/a")}), HasSubstr("/a"));
  EXPECT_THAT(refused({row("no-slash")}), HasSubstr("no-slash"));
  EXPECT_THAT(refused({row("/a//b")}), HasSubstr("/a//b"));
  EXPECT_THAT(refused({row("/unguarded", nobody)}), HasSubstr("/unguarded"));
  EXPECT_EQ(refused({row("/a/:x"), row("/a/:rest+")}), "");
  for (const auto* path : {"/a/:rest+/b", "/a/:+", "/:a/:rest+"}) EXPECT_THAT(refused({row(path)}), HasSubstr(path));
}

}  // namespace dispatch_test
}  // namespace web::tests
