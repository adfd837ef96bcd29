// The check of heads as a pure function: what it accepts, consistently for any number of bytes. Refused input is in
// smuggling_test.cpp.
#include "web/protocol/head_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace web {
namespace head_check_test {

using namespace std::string_literals;

using Verdict = std::variant<NeedMore, RequestHead, Refusal>;

Verdict check(std::string_view bytes, HeadLimits limits = {}) { return check_request_head(bytes, limits); }
RequestHead accepted(std::string_view bytes) {
  const auto result = check(bytes);
  if (const auto* head = std::get_if<RequestHead>(&result)) return *head;
  ADD_FAILURE() << "not accepted: " << bytes;
  return {};
}
int status_of(const Verdict& result) {
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal ? refusal->status : std::holds_alternative<RequestHead>(result) ? 200 : 0;
}

TEST(HeadCheck, FramesAHeadWithoutBody) {
  const auto bytes = "GET /path?query HTTP/1.1\r\nHost: box:3000\r\n\r\nrest"s;
  const auto head = accepted(bytes);
  EXPECT_EQ(head.size, bytes.size() - 4);
  EXPECT_EQ(head.body, Framing::none);
  EXPECT_EQ(head.target, "/path?query");
  EXPECT_EQ(head.authority, "box:3000");
  EXPECT_TRUE(head.keep_alive);
}

TEST(HeadCheck, FramesBodies) {
  const auto sized = accepted("POST / HTTP/1.1\r\nHost: b\r\ncontent-LENGTH:  \t 12 \r\n\r\n");
  EXPECT_EQ(sized.body, Framing::sized);
  EXPECT_EQ(sized.content_length, 12u);
  EXPECT_EQ(accepted("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 0\r\n\r\n").body, Framing::none);
  EXPECT_EQ(accepted("POST / HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: Chunked\r\n\r\n").body, Framing::chunked);
  EXPECT_EQ(accepted("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 999999999999999999\r\n\r\n").content_length,
            999999999999999999u);
}

TEST(HeadCheck, CutsTheAbsoluteFormDown) {
  EXPECT_EQ(accepted("GET http://b/path HTTP/1.1\r\nHost: b\r\n\r\n").target, "/path");
  EXPECT_EQ(accepted("GET HTTP://B:80 HTTP/1.1\r\nHost: b:80\r\n\r\n").target, "/");
  EXPECT_EQ(accepted("OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n").target, "*");
}

TEST(HeadCheck, AnAbsoluteFormMayHaveNoPath) {
  EXPECT_EQ(accepted("GET http://b?x=1 HTTP/1.1\r\nHost: b\r\n\r\n").target, "?x=1");
  EXPECT_EQ(accepted("GET http://b:80?x=/1 HTTP/1.1\r\nHost: b\r\n\r\n").target, "?x=/1");
  EXPECT_EQ(accepted("GET http://b? HTTP/1.1\r\nHost: b\r\n\r\n").target, "?");
  EXPECT_EQ(status_of(check("GET http://?x=1 HTTP/1.1\r\nHost: b\r\n\r\n")), 400);
  EXPECT_EQ(status_of(check("GET ?x=1 HTTP/1.1\r\nHost: b\r\n\r\n")), 400);
}

TEST(HeadCheck, AnAbsentPortIsTheOneOfTheScheme) {
  const auto status = [](const std::string& target, const std::string& host) {
    return status_of(check("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"));
  };
  for (const auto& [target, host] : std::vector<std::pair<std::string, std::string>>{{"http://name/", "name:80"},
                                                                                     {"http://NAME/", "Name:80"},
                                                                                     {"HTTP://name:80/", "name"},
                                                                                     {"https://name/", "name:443"},
                                                                                     {"https://name:443", "name"},
                                                                                     {"http://[::1]/", "[::1]:80"},
                                                                                     {"http://name:443/", "name:443"}})
    EXPECT_EQ(status(target, host), 200) << target << " and " << host;
  for (const auto& [target, host] : std::vector<std::pair<std::string, std::string>>{{"http://name/", "name:8080"},
                                                                                     {"http://name/", "name:443"},
                                                                                     {"https://name/", "name:80"},
                                                                                     {"http://name:81/", "name"},
                                                                                     {"http://name:80/", "other"},
                                                                                     {"http://[::80]/", "[::]"}})
    EXPECT_EQ(status(target, host), 400) << target << " and " << host;
}

TEST(HeadCheck, ReadsPersistenceOfTheConnection) {
  EXPECT_FALSE(accepted("GET / HTTP/1.1\r\nHost: b\r\nConnection: Close\r\n\r\n").keep_alive);
  EXPECT_FALSE(accepted("GET / HTTP/1.1\r\nHost: b\r\nConnection: keep-alive, close\r\n\r\n").keep_alive);
  EXPECT_FALSE(accepted("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(accepted("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
  EXPECT_TRUE(
      accepted("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n").expects_continue);
  const auto upgrade = "GET / HTTP/1.1\r\nHost: b\r\nConnection: x, UPGRADE\r\nUpgrade: WebSocket\r\n\r\n"s;
  EXPECT_TRUE(accepted(upgrade).websocket);
  EXPECT_FALSE(accepted("GET / HTTP/1.1\r\nHost: b\r\nUpgrade: websocket\r\n\r\n").websocket);
}

TEST(HeadCheck, FieldsThatGuardsUseOccurOnce) {
  const auto with = [](const std::string& fields) {
    return status_of(check("POST / HTTP/1.1\r\nHost: b\r\n" + fields + "\r\n"));
  };
  for (const auto* name : {"Origin", "Sec-Fetch-Site", "Content-Type", "Authorization"}) {
    const auto once = std::string(name) + ": x\r\n", again = "X: y\r\n" + once;
    EXPECT_EQ(with(once), 200) << name;
    EXPECT_EQ(with(once + again), 400) << name;
  }
  EXPECT_EQ(with("Accept: x\r\nAccept: y\r\n"), 200);
}

TEST(HeadCheck, AcceptsExactlyTheLimits) {
  const auto bytes = "GET /abc HTTP/1.1\r\nHost: b\r\nX: y\r\n\r\n"s;
  const auto line = bytes.find('\n') + 1;
  EXPECT_EQ(status_of(check(bytes, {.head_bytes = bytes.size(), .fields = 2, .line_bytes = line})), 200);
  EXPECT_EQ(status_of(check(bytes, {.head_bytes = bytes.size() - 1, .fields = 2, .line_bytes = line})), 431);
  EXPECT_EQ(status_of(check(bytes, {.head_bytes = bytes.size(), .fields = 1, .line_bytes = line})), 431);
  EXPECT_EQ(status_of(check(bytes, {.head_bytes = bytes.size(), .fields = 2, .line_bytes = line - 1})), 414);
}

// Every beginning of an acceptable head is waited on; none is refused or taken for a whole one.
TEST(HeadCheck, WaitsForTheRestAtEveryByte) {
  const auto bytes =
      "POST http://box/path HTTP/1.1\r\nHost: box\r\nContent-Length: 3\r\nConnection: close\r\nX-Empty:\r\n\r\n"s;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(status_of(check(std::string_view(bytes).substr(0, size))), 0) << size;
  EXPECT_EQ(status_of(check(bytes)), 200);
}

// What is refused as a whole is never accepted as a part, and what is refused early stays refused.
TEST(HeadCheck, NeverChangesItsMindWithMoreBytes) {
  std::mt19937 random(1);
  const std::string_view pieces[] = {"GET ",
                                     "POST ",
                                     "/",
                                     "*",
                                     " HTTP/1.1",
                                     " HTTP/1.0",
                                     "\r\n",
                                     "\n",
                                     "\r",
                                     "Host: b",
                                     "Content-Length: ",
                                     "Transfer-Encoding: chunked",
                                     "5",
                                     ":",
                                     " ",
                                     "\t",
                                     std::string_view("\0", 1),
                                     "X: y",
                                     "\x80",
                                     "http://b/",
                                     "Connection: close",
                                     "Expect: 100-continue",
                                     ","};
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    for (auto count = random() % 12 + 1; count > 0; --count) bytes += pieces[random() % std::size(pieces)];
    if (random() % 2) bytes += "\r\n\r\n";
    int decided = 0;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const auto now = status_of(check(std::string_view(bytes).substr(0, size)));
      if (decided != 0) {
        ASSERT_EQ(now, decided) << ::testing::PrintToString(bytes) << " at " << size;
      }
      decided = now;
    }
  }
}

TEST(ResponseHeadCheck, KnowsHowAnAnswerEnds) {
  const auto framing = [](std::string_view bytes, bool to_head = false) {
    const auto result = check_response_head(bytes, {}, to_head);
    const auto* head = std::get_if<ResponseHead>(&result);
    return head ? std::optional(head->body) : std::nullopt;
  };
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\n\r\n"), Framing::until_close);
  EXPECT_EQ(framing("HTTP/1.1 200\r\nContent-Length: 3\r\n\r\n"), Framing::sized);
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", true), Framing::none);
  EXPECT_EQ(framing("HTTP/1.1 204 No Content\r\n\r\n"), Framing::none);
  EXPECT_EQ(framing("HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"), Framing::none);
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), Framing::chunked);
  EXPECT_EQ(framing("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), std::nullopt);
  EXPECT_EQ(framing("HTTP/1.1 99 Low\r\n\r\n"), std::nullopt);
  EXPECT_EQ(framing("HTTP/1.1 2000 Long\r\n\r\n"), std::nullopt);
  EXPECT_EQ(framing("HTTP/2 200\r\n\r\n"), std::nullopt);
}

}  // namespace head_check_test
}  // namespace web
