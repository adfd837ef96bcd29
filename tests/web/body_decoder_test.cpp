// Decoding of content codings: in pieces of any size, within the bound of the output.
#include "web/protocol/body_decoder.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/web/compression.h"
#include "tests/web/decoded.h"

namespace web {
namespace body_decoder_test {

using tests::brotlied;
using tests::decode_cut;
using tests::Decoded;
using tests::Zipped;
using tests::zipped;

Decoded decode(std::string_view codings, std::string_view bytes, std::size_t max_bytes = 1u << 24) {
  return decode_cut(
      codings, bytes, [&] { return bytes.size(); }, max_bytes);
}

std::string text_of(std::string_view codings, std::string_view bytes) {
  const auto decoded = decode(codings, bytes);
  EXPECT_TRUE(decoded.is_whole()) << codings;
  return decoded.text;
}

// A body in every form that names one coding.
struct Compressed {
  std::string coding, bytes;
};
std::vector<Compressed> every_way(const std::string& text) {
  std::vector<Compressed> ways;
  for (const int level : {0, 1, 9}) {
    ways.push_back({"gzip", zipped(text, Zipped::gzip, level)});
    ways.push_back({"deflate", zipped(text, Zipped::zlib, level)});
    ways.push_back({"deflate", zipped(text, Zipped::bare, level)});
  }
  for (const int quality : {0, 5, 11}) ways.push_back({"br", brotlied(text, quality)});
  return ways;
}

class Bodies : public ::testing::Test {
 protected:
  // Like text, like noise, or repeating itself.
  std::string any_bytes(std::size_t most) {
    const auto size = std::uniform_int_distribution<std::size_t>(0, most)(random_);
    const int letters = std::uniform_int_distribution<int>(1, 255)(random_);
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += char(std::uniform_int_distribution<int>(0, letters)(random_));
    return bytes;
  }
  std::size_t any_piece() { return std::uniform_int_distribution<std::size_t>(1, 700)(random_); }

  std::mt19937 random_{20'260'101};
};

TEST_F(Bodies, AreDecodedHoweverTheyAreCut) {
  for (int round = 0; round < 40; ++round) {
    const std::string text = any_bytes(round % 4 == 0 ? 200'000 : 2'000);
    for (const auto& [coding, bytes] : every_way(text)) {
      const auto decoded = decode_cut(coding, bytes, [this] { return any_piece(); });
      ASSERT_TRUE(decoded.is_whole()) << coding << " " << round;
      ASSERT_TRUE(decoded.text == text) << coding << " " << round;
    }
  }
}

TEST_F(Bodies, AreIncompleteWhenTheyEndEarly) {
  for (int round = 0; round < 10; ++round) {
    const std::string text = any_bytes(400);
    for (const auto& [coding, bytes] : every_way(text)) {
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto decoded = decode(coding, std::string_view(bytes).substr(0, size));
        ASSERT_FALSE(decoded.is_whole()) << coding << " " << size << " of " << bytes.size();
        ASSERT_TRUE(text.starts_with(decoded.text)) << coding;
      }
    }
  }
}

TEST_F(Bodies, AreRefusedWhenTheyAreBroken) {
  for (const std::string_view coding : {"gzip", "deflate", "br"}) {
    EXPECT_EQ(decode(coding, "\xff\xff this is nothing of the kind").result, Decoding::broken) << coding;
  }
  const std::string text(1'000, 'x');
  auto wrong_sum = zipped(text, Zipped::gzip);
  wrong_sum[wrong_sum.size() - 5] ^= 1;
  EXPECT_EQ(decode("gzip", wrong_sum).result, Decoding::broken);
  auto second_is_broken = zipped(text, Zipped::gzip);
  second_is_broken += std::string_view("\x1f\x8b\x07\xff");
  EXPECT_EQ(decode("gzip", second_is_broken).result, Decoding::broken);
}

TEST_F(Bodies, OfSeveralMembersAreOne) {
  const auto bytes = zipped("one, ", Zipped::gzip) + zipped("", Zipped::gzip) + zipped("two", Zipped::gzip);
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    const auto decoded = decode_cut("gzip", bytes, [piece] { return piece; });
    EXPECT_TRUE(decoded.is_whole()) << piece;
    EXPECT_EQ(decoded.text, "one, two") << piece;
  }
  const auto half = std::string_view(bytes).substr(0, bytes.size() - 1);
  EXPECT_FALSE(decode("gzip", half).is_whole());
}

TEST_F(Bodies, EndWhereTheirCodingSaysSo) {
  using namespace std::string_literals;
  for (const auto& rest : {"\0\0\0\0"s, "\x1f"s, "\x1f and more"s, "<!-- served by -->"s}) {
    for (const auto& [coding, bytes] : every_way("a page")) {
      for (const std::size_t piece : {1u, 1'000u}) {
        const auto decoded = decode_cut(coding, bytes + rest, [piece] { return piece; });
        EXPECT_TRUE(decoded.is_whole()) << coding;
        EXPECT_EQ(decoded.text, "a page") << coding;
      }
    }
  }
}

TEST_F(Bodies, AreDecodedFromTheLastCodingToTheFirst) {
  const std::string text = any_bytes(5'000);
  EXPECT_EQ(text_of("br, gzip", zipped(brotlied(text), Zipped::gzip)), text);
  EXPECT_EQ(text_of("GZip , identity,, Deflate", zipped(zipped(text, Zipped::gzip), Zipped::bare)), text);
  EXPECT_EQ(text_of("x-gzip", zipped(text, Zipped::gzip)), text);
  EXPECT_EQ(text_of("identity", text), text);
  EXPECT_EQ(text_of("", text), text);
  // The outer one is whole, the inner one is not.
  const auto inner = zipped(text, Zipped::gzip);
  EXPECT_FALSE(decode("gzip, br", brotlied(std::string_view(inner).substr(0, inner.size() - 1))).is_whole());
}

TEST_F(Bodies, InOtherCodingsAreRefusedByTheirNames) {
  const auto refusal = [](std::string_view codings) { return BodyDecoder::of(codings, 1).error().message; };
  EXPECT_EQ(refusal("zstd"), "sent a body in an unknown content coding zstd");
  EXPECT_EQ(refusal("gzip, compress"), "sent a body in an unknown content coding compress");
  EXPECT_EQ(refusal("gzip;q=1"), "sent a body in an unknown content coding of no proper name");
  EXPECT_EQ(refusal(std::string(100, 'x')), "sent a body in an unknown content coding of no proper name");
  EXPECT_EQ(refusal("gzip, deflate, br"), "sent a body in more than two content codings");
}

TEST_F(Bodies, EndAsSoonAsTheyAreTooLarge) {
  const std::string page(100'000, ' ');
  for (const auto& [coding, bytes] : every_way(page)) {
    if (bytes.size() > page.size()) continue;  // stored as it is, which is too large before it is decoded
    EXPECT_TRUE(decode(coding, bytes, page.size()).is_whole()) << coding;
    const auto cut = decode(coding, bytes, page.size() - 1);
    EXPECT_EQ(cut.result, Decoding::too_large) << coding;
    EXPECT_LT(cut.text.size(), page.size()) << coding;
  }
  EXPECT_EQ(decode("", page, page.size() - 1).result, Decoding::too_large);
  // 50,000 members without a byte in them, in a few kilobytes.
  std::string nothing;
  for (int i = 0; i < 50'000; ++i) nothing += zipped("", Zipped::gzip);
  const auto small = zipped(nothing, Zipped::gzip);
  ASSERT_LT(small.size(), 10'000u);
  EXPECT_EQ(decode("gzip, gzip", small, 100'000).result, Decoding::too_large);
}

TEST_F(Bodies, StopWhenTheSinkReturnsFalse) {
  auto decoder = BodyDecoder::of("gzip", 1u << 24);
  int calls = 0;
  const auto first_only = [&calls](std::string_view) { return ++calls > 1; };
  EXPECT_EQ(decoder->write(zipped(std::string(1u << 20, 'x'), Zipped::gzip), first_only), Decoding::stopped);
  EXPECT_EQ(calls, 1);
}

}  // namespace body_decoder_test
}  // namespace web
