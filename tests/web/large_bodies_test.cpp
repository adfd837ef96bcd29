// Rows that stream their body: from which callers, how large, and how many at once.
#include <boost/json.hpp>

#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace large_bodies_test {

constexpr std::size_t megabyte = 1024 * 1024, most = 3 * megabyte;

class LargeBodies : public WireTest {
 protected:
  LargeBodies() {
    auto size = [this](Request&, BodyStream& body) -> Task<Result<Response>> {
      note("upload");
      std::size_t total = 0;
      for (;;) {
        const auto piece = co_await body.next();
        if (!piece) co_return piece.error();
        if (piece->empty()) break;
        total += piece->size();
        largest_piece = std::max(largest_piece, piece->size());
      }
      note("received");
      auto answer = text(std::to_string(total));
      co_return answer;
    };
    auto uninterested = [](Request&, BodyStream&) -> Task<Result<Response>> { co_return conflict("No, thank you"); };
    append(options.routes, {{POST, "/files", key, nullptr, stream(most, size), "Its size"},
                            {POST, "/refused", key, nullptr, stream(most, uninterested), "Reads nothing"}});
  }

  static std::string upload(const std::string& fields) {
    return "POST /files HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer right\r\n" + fields + "\r\n";
  }
  static std::string sized(std::size_t size, const std::string& fields = {}) {
    return upload("Content-Length: " + std::to_string(size) + "\r\n" + fields);
  }
  // A client that got 100 Continue has its place.
  RawClient uploader() {
    auto one = client();
    one.send(sized(2 * megabyte, "Expect: 100-continue\r\nConnection: close\r\n"));
    EXPECT_EQ(one.head().status, 100);
    return one;
  }
  void finish(RawClient& one) {
    one.send(std::string(2 * megabyte, 'b'));
    EXPECT_EQ(one.answer().body, std::to_string(2 * megabyte));
    EXPECT_TRUE(one.closed()) << "by then its place is free again";
  }
  void expect_no_place() {
    auto one = client();
    one.send(sized(2 * megabyte, "Expect: 100-continue\r\n"));
    const auto answer = one.answer();
    EXPECT_EQ(answer.status, 503) << "before its body";
    EXPECT_TRUE(answer.headers.contains("retry-after"));
    EXPECT_TRUE(one.closed());
  }

  std::size_t largest_piece = 0;
  const Guard key{.name = "key", .scheme = "bearer", .admit = [](const Request& request) -> Result<Caller> {
                    if (request.bearer() == "right") return Caller{};
                    return unauthenticated();
                  }};
};

TEST_F(LargeBodies, AreAcceptedUpToTheRowsOwnLimit) {
  serve();
  const std::string body(most, 'b');
  EXPECT_EQ(ask(sized(most) + body).body, std::to_string(most));
  const auto chunks = chunk(body.substr(0, megabyte)) + chunk(body.substr(megabyte)) + "0\r\n\r\n";
  EXPECT_EQ(ask(upload("Transfer-Encoding: chunked\r\n") + chunks).body, std::to_string(most));
  EXPECT_EQ(ask(sized(3) + "abc").body, "3");

  for (const auto& bytes :
       {sized(most + 1), sized(9'000'000'000), upload("Transfer-Encoding: chunked\r\n") + chunk(body) + chunk("b")}) {
    const auto answer = ask(bytes);
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(boost::json::parse(answer.body).at("limit"), most);
  }
  const auto elsewhere = ask(post(std::string(megabyte + 1, 'b')));
  EXPECT_EQ(elsewhere.status, 413) << "all other rows take what the listener takes";
  EXPECT_EQ(boost::json::parse(elsewhere.body).at("limit"), megabyte);
  EXPECT_EQ(reached(),
            (std::vector<std::string>{"upload", "received", "upload", "received", "upload", "received", "upload"}))
      << "only of a chunked body the length is not known before";
  EXPECT_LE(largest_piece, 64u * 1024) << "in memory there is a piece at a time";
}

TEST_F(LargeBodies, AreNotReadFromCallersThatTheGuardRefuses) {
  serve();
  for (const auto* fields : {"Content-Length: 2097152\r\n", "Content-Length: 2097152\r\nExpect: 100-continue\r\n",
                             "Transfer-Encoding: chunked\r\n"}) {
    auto one = client();
    one.send("POST /files HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer wrong\r\n" + std::string(fields) + "\r\n");
    const auto answer = one.answer();
    EXPECT_EQ(answer.status, 401) << fields;
    EXPECT_EQ(answer.headers.at("www-authenticate"), "Bearer");
    EXPECT_TRUE(one.closed());
  }
  EXPECT_TRUE(reached().empty());
}

TEST_F(LargeBodies, AreOfferedToTheHandlerBeforeTheyArrive) {
  serve();
  for (const auto* fields : {"Content-Length: 2097152\r\n", "Content-Length: 2097152\r\nExpect: 100-continue\r\n"}) {
    auto one = client();
    one.send("POST /refused HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer right\r\n" + std::string(fields) + "\r\n");
    const auto answer = one.answer();
    EXPECT_EQ(answer.status, 409) << fields;
    EXPECT_EQ(answer.headers.at("connection"), "close");
    EXPECT_TRUE(one.closed());
  }
}

TEST_F(LargeBodies, LeaveTheConnectionToTheNextRequest) {
  serve();
  auto one = client();
  for (int i = 0; i < 3; ++i) {
    one.send(sized(2 * megabyte) + std::string(2 * megabyte, 'b') + sized(3) + "abc");
    EXPECT_EQ(one.answer().body, std::to_string(2 * megabyte));
    EXPECT_EQ(one.answer().body, "3");
  }
}

TEST_F(LargeBodies, ThatAreMalformedOrEndEarlyAreNoneOfTheHandlersAnswers) {
  serve();
  const auto answer = ask(upload("Transfer-Encoding: chunked\r\n") + chunk(std::string(megabyte, 'b')) + "zz\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, ::testing::HasSubstr("chunk size"));
  auto one = client();
  one.send(sized(2 * megabyte) + "abc");
  one.half_close();
  EXPECT_TRUE(one.closed()) << "no answer to half a request";
  EXPECT_EQ(reached(), (std::vector<std::string>{"upload", "upload"}));
}

TEST_F(LargeBodies, AreFewAtOnce) {
  options.limits.large_bodies = 2;
  options.limits.large_bodies_per_client = 2;
  serve();
  auto first = uploader(), second = uploader();
  expect_no_place();
  EXPECT_EQ(ask(sized(megabyte) + std::string(megabyte, 'b')).status, 200) << "what all rows take needs no place";
  EXPECT_EQ(ask(sized(most + 1)).status, 413) << "nor does what is refused unread";
  finish(first);
  auto third = uploader();
  expect_no_place();
  second.close();
  finish(third);
}

TEST_F(LargeBodies, OfOneClientHaveALowerLimit) {
  options.limits.large_bodies_per_client = 1;
  serve();
  auto only = uploader();
  expect_no_place();
  finish(only);
  auto next = uploader();
  finish(next);
}

TEST_F(LargeBodies, HaveADeadlineOfTheirOwn) {
  options.limits.large_body_time = std::chrono::milliseconds(200);
  serve();
  auto slow = uploader();
  EXPECT_EQ(slow.answer().status, 408);
  EXPECT_TRUE(slow.closed());
  auto next = uploader();
  next.close();
}

}  // namespace large_bodies_test
}  // namespace web::tests
