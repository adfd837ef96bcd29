// The checks of heads and chunks as pure functions: what they accept, and that cutting the bytes changes nothing.
#include "web/head_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "web/chunk_check.h"

namespace web {
namespace {

using namespace std::string_literals;

using Verdict = std::variant<NeedMore, RequestHead, Refusal>;

Verdict check(std::string_view bytes, HeadLimits limits = {}) { return check_request_head(bytes, limits); }
RequestHead accepted(std::string_view bytes) {
  const auto verdict = check(bytes);
  if (const auto* head = std::get_if<RequestHead>(&verdict)) return *head;
  ADD_FAILURE() << "not accepted: " << bytes;
  return {};
}
int status_of(const Verdict& verdict) {
  const auto* refusal = std::get_if<Refusal>(&verdict);
  return refusal ? refusal->status : std::holds_alternative<RequestHead>(verdict) ? 200 : 0;
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

TEST(HeadCheck, ReadsWhatTheConnectionShallBe) {
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

TEST(HeadCheck, TakesTheLimitsExactly) {
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
    const auto verdict = check_response_head(bytes, {}, to_head);
    const auto* head = std::get_if<ResponseHead>(&verdict);
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

// The decoder's whole output, fed in pieces that end at `cuts`.
struct Decoded {
  std::string data;
  int status = 0;  // 200: done; 0: needs more
  std::string_view left;
  bool operator==(const Decoded&) const = default;
};
Decoded decode(std::string_view bytes, std::size_t piece, std::uint64_t limit = 1000) {
  ChunkDecoder decoder(limit);
  Decoded result;
  std::size_t from = 0, to = 0;
  while (result.status == 0 && to < bytes.size()) {
    to = std::min(bytes.size(), to + piece);
    for (bool going = true; going;) {
      const auto step = decoder.next(bytes.substr(from, to - from));
      from += step.consumed;
      result.data += step.data;
      going = step.state == ChunkDecoder::State::data;
      if (step.state == ChunkDecoder::State::done) result.status = 200;
      if (step.state == ChunkDecoder::State::refused) result.status = step.status;
    }
  }
  if (result.status == 200) result.left = bytes.substr(from);
  return result;
}

TEST(ChunkCheck, JoinsTheDataAndLeavesWhatFollows) {
  const auto bytes = "5;name=\"value\"\r\nhello\r\n00A\r\n, chunked!\r\n0\r\nX-Trailer: t\r\n\r\nGET /"s;
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    const auto decoded = decode(bytes, piece);
    EXPECT_EQ(decoded.status, 200) << piece;
    EXPECT_EQ(decoded.data, "hello, chunked!") << piece;
    EXPECT_EQ(decoded.left, "GET /") << piece;
  }
}

TEST(ChunkCheck, RefusesMoreThanTheLimitByItsAnnouncement) {
  EXPECT_EQ(decode("3e8\r\n", 100).status, 0);
  EXPECT_EQ(decode("3e9\r\n", 100).status, 413);
  EXPECT_EQ(decode("1\r\na\r\n3e8\r\n", 100).status, 413);
  EXPECT_EQ(decode("ffffffffffffffff\r\n", 100, UINT64_MAX).status, 0);
  EXPECT_EQ(decode("1\r\na\r\nffffffffffffffff\r\n", 100, UINT64_MAX).status, 413);
}

TEST(ChunkCheck, DecidesTheSameHoweverTheBytesArrive) {
  std::mt19937 random(2);
  const std::string_view pieces[] = {
      "0", "5", "a", "\r\n", "\n", "\r", ";x", "hello", "X: y", " ", "+", "0x", std::string_view("\0", 1), ":"};
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    for (auto count = random() % 14 + 1; count > 0; --count) bytes += pieces[random() % std::size(pieces)];
    const auto whole = decode(bytes, bytes.size());
    for (const std::size_t piece : {1u, 2u, 3u, 7u}) {
      const auto cut = decode(bytes, piece);
      ASSERT_EQ(cut.status, whole.status) << ::testing::PrintToString(bytes);
      if (whole.status == 200) {
        ASSERT_EQ(cut, whole) << ::testing::PrintToString(bytes);
      }
    }
  }
}

}  // namespace
}  // namespace web
