#include <gtest/gtest.h>

#include <random>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"

namespace chain_test {

TEST(Amount, WordsBecomeDigits) {
  EXPECT_EQ(chain::to_digits(chain::word(0)), "0");
  EXPECT_EQ(chain::to_digits(chain::word(1'250'000'000'000)), "1250000000000");
  EXPECT_EQ(chain::to_digits(chain::word(~0ull)), "18446744073709551615");
  EXPECT_EQ(chain::to_digits(std::string(32, '\xff')),
            "115792089237316195423570985008687907853269984665640564039457584007913129639935");
}

TEST(Amount, ThePointMovesBothWays) {
  EXPECT_EQ(chain::with_point("1250000500000", 6), "1250000.5");
  EXPECT_EQ(chain::with_point("5", 6), "0.000005");
  EXPECT_EQ(chain::with_point("0", 18), "0");
  EXPECT_EQ(chain::with_point("1000000", 6), "1");
  EXPECT_EQ(chain::with_point("42", 0), "42");
  EXPECT_EQ(chain::without_point("1250000.5", 6), "1250000500000");
  EXPECT_EQ(chain::without_point("0.000005", 6), "5");
  EXPECT_EQ(chain::without_point("000", 2), "0");
  EXPECT_EQ(chain::without_point("7", 0), "7");
  for (const std::string_view wrong : {"", ".", "1.", ".5", "-1", "1e6", "1,5", "1.0000001", " 1", "0x1"})
    EXPECT_FALSE(chain::without_point(wrong, 6)) << wrong;
}

TEST(Amount, ComparesByValue) {
  EXPECT_TRUE(chain::at_least("100", "99"));
  EXPECT_TRUE(chain::at_least("99", "99"));
  EXPECT_FALSE(chain::at_least("99", "100"));
  EXPECT_FALSE(chain::at_least("0", "1"));
}

TEST(Abi, HexIsEncodedAndDecoded) {
  EXPECT_EQ(chain::to_hex("\x01\xff"), "0x01ff");
  EXPECT_EQ(chain::from_hex("0x01FF"), "\x01\xff");
  EXPECT_EQ(chain::from_hex("0x"), "");
  for (const std::string_view wrong : {"", "01ff", "0x1", "0xgg", "0X01"})
    EXPECT_FALSE(chain::from_hex(wrong)) << wrong;
}

TEST(Abi, SmallNumbersAreThoseOfSixtyFourBits) {
  EXPECT_EQ(chain::small_number(chain::word(258)), 258u);
  EXPECT_EQ(chain::small_number(chain::word(~0ull)), ~0ull);
  EXPECT_FALSE(chain::small_number(std::string(32, '\x01')));
  EXPECT_FALSE(chain::small_number("short"));
}

// An encoded (address, bytes, bytes), as in ERC-6492.
std::string encoded(const std::string& first, const std::string& second) {
  const auto address = *crypto::EthereumAddress::parse("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
  const std::string head_end = chain::tail_bytes(first);
  return chain::word(address) + chain::word(96) + chain::word(96 + head_end.size()) + head_end +
         chain::tail_bytes(second);
}

TEST(Abi, AnAddressAndTwoByteStringsAreRead) {
  const auto read = chain::decode_address_and_two_bytes(encoded("call data", std::string(65, 's')));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->address.checksummed(), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
  EXPECT_EQ(read->first, "call data");
  EXPECT_EQ(read->second, std::string(65, 's'));
  EXPECT_TRUE(chain::decode_address_and_two_bytes(encoded("", "")));
}

TEST(Abi, NothingIsReadBeyondTheData) {
  const std::string good = encoded("call data", "signature");
  for (std::size_t length = 0; length < good.size() - 32; ++length)
    EXPECT_FALSE(chain::decode_address_and_two_bytes(good.substr(0, length))) << length;
  std::mt19937 random(6492);
  for (int round = 0; round < 20'000; ++round) {
    std::string mutated = good;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits)
      mutated[random() % mutated.size()] = static_cast<char>(random());
    if (const auto read = chain::decode_address_and_two_bytes(mutated)) {
      EXPECT_LE(read->first.size(), mutated.size());
      EXPECT_LE(read->second.size(), mutated.size());
    }
  }
}

}  // namespace chain_test
