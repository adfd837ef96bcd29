// A request of exactly a limit is served; one more byte or field is refused with the matching status.
#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace size_limits_test {

constexpr std::size_t megabyte = 1024 * 1024;

class SizeLimits : public WireTest {
 protected:
  std::string expect_refused(int status, std::string_view bytes) {
    auto one = client();
    one.send(bytes);
    const auto answer = one.answer();
    EXPECT_EQ(answer.status, status);
    EXPECT_TRUE(one.closed());
    EXPECT_TRUE(reached().empty());
    return answer.body;
  }
};

TEST_F(SizeLimits, AMegabyteIsTakenSizedAndChunked) {
  serve();
  const std::string body(megabyte, 'b');
  EXPECT_EQ(ask(post(body)).body, body);
  EXPECT_EQ(ask(chunked_post(chunk(body.substr(0, 1000)) + chunk(body.substr(1000)) + "0\r\n\r\n")).body, body);
}

TEST_F(SizeLimits, AByteMoreIsNot) {
  serve();
  const std::string body(megabyte + 1, 'b');
  const auto refusal = expect_refused(413, post(body));
  EXPECT_EQ(expect_refused(413, chunked_post(chunk(body) + "0\r\n\r\n")), refusal);
  expect_refused(413, chunked_post(chunk(body.substr(0, megabyte)) + chunk("b") + "0\r\n\r\n"));
}

TEST_F(SizeLimits, AnAnnouncedSizeIsRefusedBeforeItsBytes) {
  serve();
  expect_refused(413, "POST /echo HTTP/1.1\r\nHost: box\r\nContent-Length: 9000000000\r\n\r\n");
}

TEST_F(SizeLimits, TheHeadMayBeAsLongAsTheLimit) {
  serve();
  const auto rest = get("/ask", "X-Padding: \r\n").size();
  const auto padded = [&](std::size_t size) {
    return get("/ask", "X-Padding: " + std::string(size - rest, 'p') + "\r\n");
  };
  EXPECT_EQ(ask(padded(16 * 1024)).status, 200);
  EXPECT_EQ(reached().size(), 1u);
}

TEST_F(SizeLimits, ALongerHeadIsRefused) {
  serve();
  expect_refused(431, get("/ask", "X-Padding: " + std::string(16 * 1024, 'p') + "\r\n"));
}

TEST_F(SizeLimits, AHeadWithoutEndIsRefusedAtTheLimit) {
  serve();
  expect_refused(431, "GET /ask HTTP/1.1\r\nHost: box\r\nX-Padding: " + std::string(16 * 1024, 'p'));
}

TEST_F(SizeLimits, AHundredFieldsAreTakenAndNotOneMore) {
  serve();
  std::string fields;
  for (int i = 0; i < 99; ++i) fields += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(ask(get("/ask", fields)).status, 200);
  EXPECT_EQ(ask(get("/ask", fields + "X-More: 1\r\n")).status, 431);
  EXPECT_EQ(reached().size(), 1u);
}

TEST_F(SizeLimits, AnEndlessFirstLineIsRefused) {
  serve();
  expect_refused(414, "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: box\r\n\r\n");
  expect_refused(414, "GET /" + std::string(20000, 'a'));
}

TEST_F(SizeLimits, TrailersAreBounded) {
  serve();
  std::string many;
  for (int i = 0; i < 21; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  expect_refused(431, chunked_post("0\r\n" + many + "\r\n"));
  expect_refused(431, chunked_post("0\r\nX-Padding: " + std::string(5000, 'p') + "\r\n\r\n"));
  expect_refused(400, chunked_post("5;" + std::string(300, 'e') + "\r\nhello\r\n0\r\n\r\n"));
}

}  // namespace size_limits_test
}  // namespace web::tests
