#include <gtest/gtest.h>

#include <set>

#include "appliance/foundation/crypto/random.h"

namespace crypto_test {

TEST(Crypto, DigestsAreThoseOfTheStandard) {
  EXPECT_EQ(crypto::sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(crypto::sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Crypto, HexIsEncodedAndDecoded) {
  EXPECT_EQ(crypto::hex(std::string("\x00\x7f\xff", 3)), "007fff");
  EXPECT_EQ(crypto::unhex("007fFF"), std::string("\x00\x7f\xff", 3));
  EXPECT_EQ(crypto::unhex("0"), "");
  EXPECT_EQ(crypto::unhex("0g"), "");
  EXPECT_EQ(crypto::unhex("+1"), "");
}

TEST(Crypto, RandomTextsHaveTheirLengthAndAlphabet) {
  EXPECT_EQ(crypto::random_bytes(7).size(), 7u);
  EXPECT_EQ(crypto::random_hex(16).size(), 32u);
  EXPECT_EQ(crypto::random_token(32).size(), 43u);
  EXPECT_EQ(crypto::random_token(1).size(), 2u);
  EXPECT_EQ(crypto::random_token(3).size(), 4u);
  EXPECT_EQ(crypto::random_id(200).size(), 200u);
  EXPECT_EQ(crypto::random_id(2000).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos);
}

TEST(Crypto, RandomTextsDoNotRepeatAndUseTheWholeAlphabet) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(crypto::random_id(12));
  EXPECT_EQ(ids.size(), 1000u);
  const std::string long_id = crypto::random_id(10'000);
  EXPECT_EQ(std::set<char>(long_id.begin(), long_id.end()).size(), 36u);
}

TEST(Crypto, ComparisonSeesEveryDifference) {
  EXPECT_TRUE(crypto::constant_time_equal("", ""));
  EXPECT_TRUE(crypto::constant_time_equal("key", "key"));
  EXPECT_FALSE(crypto::constant_time_equal("key", "kez"));
  EXPECT_FALSE(crypto::constant_time_equal("key", "key "));
  EXPECT_FALSE(crypto::constant_time_equal("key", ""));
}

}  // namespace crypto_test
