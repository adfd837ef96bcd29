// The decoder of chunks as a pure function: what it accepts, however the bytes are cut. Refused input is in
// smuggling_test.cpp.
#include "web/protocol/chunk_check.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace web {
namespace chunk_check_test {

using namespace std::string_literals;

// The decoder's whole output, fed `piece` bytes more at a time.
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

TEST(ChunkCheck, JoinsTheDataAndLeavesTheFollowingBytes) {
  const auto bytes = "5;name=\"value\"\r\nhello\r\n00A\r\n, chunked!\r\n0\r\nX-Trailer: t\r\n\r\nGET /"s;
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    const auto decoded = decode(bytes, piece);
    EXPECT_EQ(decoded.status, 200) << piece;
    EXPECT_EQ(decoded.data, "hello, chunked!") << piece;
    EXPECT_EQ(decoded.left, "GET /") << piece;
  }
}

TEST(ChunkCheck, RefusesMoreThanTheLimitByTheAnnouncedSize) {
  EXPECT_EQ(decode("3e8\r\n", 100).status, 0);
  EXPECT_EQ(decode("3e9\r\n", 100).status, 413);
  EXPECT_EQ(decode("1\r\na\r\n3e8\r\n", 100).status, 413);
  EXPECT_EQ(decode("ffffffffffffffff\r\n", 100, UINT64_MAX).status, 0);
  EXPECT_EQ(decode("1\r\na\r\nffffffffffffffff\r\n", 100, UINT64_MAX).status, 413);
}

TEST(ChunkCheck, AcceptsExactlyTheLimits) {
  const auto extended = [](std::size_t line) { return "0;" + std::string(line - 4, 'e') + "\r\n\r\n"; };
  EXPECT_EQ(decode(extended(ChunkDecoder::line_bytes), 1).status, 200);
  EXPECT_EQ(decode(extended(ChunkDecoder::line_bytes + 1), 1).status, 400);
  const auto trailers = [](std::size_t count) {
    std::string lines = "0\r\n";
    while (count-- > 0) lines += "X: y\r\n";
    return lines + "\r\n";
  };
  EXPECT_EQ(decode(trailers(ChunkDecoder::trailer_fields), 1).status, 200);
  EXPECT_EQ(decode(trailers(ChunkDecoder::trailer_fields + 1), 1).status, 431);
  const auto padded = [](std::size_t bytes) { return "0\r\nX:" + std::string(bytes - 6, 'p') + "\r\n\r\n"; };
  EXPECT_EQ(decode(padded(ChunkDecoder::trailer_bytes), 1).status, 200);
  EXPECT_EQ(decode(padded(ChunkDecoder::trailer_bytes + 1), 1).status, 431);
}

TEST(ChunkCheck, ExtensionsHaveTheGrammarsForms) {
  const auto status = [](const std::string& extension) { return decode("0" + extension + "\r\n\r\n", 1).status; };
  for (const std::string legal : {"", ";a", ";a=b", ";a;b", ";a=\"\"", ";a=\"b c\"", ";a=\"\\\"\"", ";a=\";=\\\\\";b",
                                  " ; a = b ;c", "\t;a\t=\t\"b\"", ";a=\"\xc3\xa9\\\xc3\"", ";!#$%&'*+-.^_`|~=1"})
    EXPECT_EQ(status(legal), 200) << legal;
  for (const std::string wrong :
       {";",    ";;",    ";a;",    "; ",         ";a=",       ";a= ",      ";=b",         ";bad[=x",
        ";a=[", ";a=\"", ";a=\"b", ";a=\"b\\\"", ";a=b\"c\"", ";a=\"b\"c", ";a b",        ";a=b c",
        " ",    " a",    ";a ",    ";a=b ",      ",a",        ";\xc3\xa9", ";a=\xc3\xa9", ";a=\"\x7f\""})
    EXPECT_EQ(status(wrong), 400) << wrong;
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

}  // namespace chunk_check_test
}  // namespace web
