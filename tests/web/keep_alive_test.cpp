// One connection, many requests: pipelining, persistence, responses without a body, OPTIONS, 404 and 405.
#include <span>

#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace keep_alive_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KeepAlive : public WireTest {};

TEST_F(KeepAlive, AnswersOneRequestAfterTheOther) {
  serve();
  auto one = client();
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(one.send(get("/ask?turn=" + std::to_string(turn))));
    EXPECT_EQ(one.answer().body, "GET /ask?turn=" + std::to_string(turn));
  }
}

TEST_F(KeepAlive, AnswersAPipelineInOrder) {
  serve();
  auto one = client();
  one.send(get("/gate") + get("/ask?1") + post("two") + chunked_post(chunk("th") + chunk("ree") + "0\r\n\r\n") +
           get("/nowhere") + get("/ask?5"));
  open = true;
  EXPECT_EQ(one.answer().body, "through the gate");
  EXPECT_EQ(one.answer().body, "GET /ask?1");
  EXPECT_EQ(one.answer().body, "two");
  EXPECT_EQ(one.answer().body, "three");
  EXPECT_EQ(one.answer().status, 404);
  EXPECT_EQ(one.answer().body, "GET /ask?5");
  EXPECT_THAT(reached(), ElementsAre("GET /gate", "GET /ask", "POST /echo", "POST /echo", "GET /ask"));
}

TEST_F(KeepAlive, AMalformedRequestEndsThePipelineAfterTheEarlierResponses) {
  serve();
  auto one = client();
  one.send(get("/ask?1") + "GET /ask HTTP/1.1\r\nHost : box\r\n\r\n" + get("/ask?never"));
  EXPECT_EQ(one.answer().body, "GET /ask?1");
  EXPECT_EQ(one.answer().status, 400);
  EXPECT_TRUE(one.closed());
  EXPECT_EQ(reached().size(), 1u);
}

TEST_F(KeepAlive, AcceptsAnyCutOfTheBytes) {
  serve();
  const auto bytes = get("/ask?1") + post("hello", "Content-Type: text/plain\r\n") +
                     chunked_post("5;name=value\r\nhello\r\n0\r\nTrailer: x\r\n\r\n") + get("/ask?2");
  for (std::size_t cut = 1; cut < bytes.size(); cut += 3) {
    auto one = client();
    one.send(bytes.substr(0, cut));
    one.send(bytes.substr(cut));
    EXPECT_EQ(one.answer().body, "GET /ask?1") << cut;
    EXPECT_EQ(one.answer().body, "hello") << cut;
    EXPECT_EQ(one.answer().body, "hello") << cut;
    EXPECT_EQ(one.answer().body, "GET /ask?2") << cut;
  }
}

TEST_F(KeepAlive, ClosesWhenAsked) {
  serve();
  auto one = client();
  one.send(get("/ask", "Connection: close\r\n") + get("/ask?never"));
  const auto answer = one.answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(one.closed());
  EXPECT_EQ(reached().size(), 1u);
}

TEST_F(KeepAlive, Http10ClosesUnlessKeepAliveIsRequested) {
  serve();
  auto one = client();
  one.send("GET /ask HTTP/1.0\r\n\r\n");
  EXPECT_EQ(one.answer().status, 200);
  EXPECT_TRUE(one.closed());
  auto other = client();
  for (int turn = 0; turn < 2; ++turn) {
    other.send("GET /ask HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto answer = other.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("connection"), "keep-alive");
  }
}

TEST_F(KeepAlive, HeadHasTheFieldsOfGetAndNoBody) {
  serve();
  auto one = client();
  one.send("HEAD /ask?12 HTTP/1.1\r\nHost: box\r\n\r\n" + get("/ask?34"));
  const auto head = one.answer(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), "12");
  EXPECT_EQ(one.answer().body, "GET /ask?34");
}

TEST_F(KeepAlive, SaysWhichMethodsAPathHas) {
  serve();
  auto one = client();
  one.send("DELETE /echo HTTP/1.1\r\nHost: box\r\n\r\n");
  const auto refused = one.answer();
  EXPECT_EQ(refused.status, 405);
  EXPECT_THAT(refused.headers.at("allow"), HasSubstr("POST"));
  EXPECT_THAT(refused.headers.at("allow"), HasSubstr("PUT"));
  one.send("OPTIONS /echo HTTP/1.1\r\nHost: box\r\n\r\n");
  const auto options_answer = one.answer();
  EXPECT_EQ(options_answer.status, 204);
  EXPECT_THAT(options_answer.headers.at("allow"), HasSubstr("POST"));
  one.send("OPTIONS /nowhere HTTP/1.1\r\nHost: box\r\n\r\n");
  EXPECT_EQ(one.answer().status, 404);
  EXPECT_TRUE(reached().empty());
}

TEST_F(KeepAlive, SendsContinueWhenExpected) {
  serve();
  auto one = client();
  one.send("POST /echo HTTP/1.1\r\nHost: box\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(one.answer().status, 100);
  one.send("hello");
  EXPECT_EQ(one.answer().body, "hello");
  one.send("POST /echo HTTP/1.1\r\nHost: box\r\nContent-Length: 2000000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(one.answer().status, 413);
}

TEST_F(KeepAlive, AnswersEveryRequestOfManyConnections) {
  serve();
  std::vector<RawClient> crowd;
  for (int i = 0; i < 1000; ++i) crowd.push_back(client());
  // Not all at once, which a slow machine takes for an overload.
  for (std::size_t first = 0; first < crowd.size(); first += 10) {
    const auto some = std::span(crowd).subspan(first, 10);
    for (auto& one : some) ASSERT_TRUE(one.send(get("/ask")));
    for (auto& one : some) ASSERT_EQ(one.answer().status, 200);
  }
  auto late = client();
  late.send(get("/ask"));
  EXPECT_EQ(late.answer().status, 200);
}

TEST_F(KeepAlive, ConnectionsOverTheLimitGet503) {
  options.limits.connections = 3;
  serve();
  std::vector<RawClient> guests;
  for (int i = 0; i < 3; ++i) {
    guests.push_back(client());
    guests.back().send(get("/ask"));
    ASSERT_EQ(guests.back().answer().status, 200);
  }
  auto one_more = client();
  const auto refused = one_more.answer();
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.headers.contains("retry-after"));
  EXPECT_TRUE(one_more.closed());
  guests.front().send(get("/ask"));
  EXPECT_EQ(guests.front().answer().status, 200);
}

}  // namespace keep_alive_test
}  // namespace web::tests
