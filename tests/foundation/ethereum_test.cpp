#include "appliance/foundation/crypto/ethereum.h"

#include <gtest/gtest.h>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/foundation/crypto/random.h"

namespace ethereum_test {

using crypto::EthereumAddress;

// Made by a wallet whose private key is thirty-two bytes 0x11.
const std::string signer = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A";
const std::string signature = crypto::unhex(
    "9208d5f86a1f5d9c1908dbb42969925675ceb388616fc5b186c248e4967a03e0"
    "2e9d28a1adcb8cce60ebcef9756dee20522a2987afea3055f4edd8380d425f891b");
const std::string order = crypto::unhex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");

std::string recovered(std::string_view message, const std::string& with) {
  const auto found = crypto::recover_signer(crypto::personal_message_digest(message), with);
  return found ? found->checksummed() : "none";
}

// order - s with the other parity: anyone can compute it from a signature.
std::string malleated(std::string from) {
  int borrow = 0;
  for (std::size_t i = 32; i-- > 0;) {
    const int difference = static_cast<unsigned char>(order[i]) - static_cast<unsigned char>(from[32 + i]) - borrow;
    borrow = difference < 0 ? 1 : 0;
    from[32 + i] = static_cast<char>(difference);
  }
  from[64] = static_cast<char>(from[64] == 27 ? 28 : 27);
  return from;
}

TEST(Keccak, DigestsAreEthereumsAroundEveryBlockBoundary) {
  EXPECT_EQ(crypto::hex(crypto::keccak256("")), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  EXPECT_EQ(crypto::hex(crypto::keccak256("abc")), "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
  const auto of_length = [](std::size_t length) { return crypto::hex(crypto::keccak256(std::string(length, 'a'))); };
  EXPECT_EQ(of_length(1), "3ac225168df54212a25c1c01fd35bebfea408fdac2e31ddd6f80a4bbf9a5f1cb");
  EXPECT_EQ(of_length(135), "34367dc248bbd832f4e3e69dfaac2f92638bd0bbd18f2912ba4ef454919cf446");
  EXPECT_EQ(of_length(136), "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e");
  EXPECT_EQ(of_length(137), "d869f639c7046b4929fc92a4d988a8b22c55fbadb802c0c66ebcd484f1915f39");
  EXPECT_EQ(of_length(272), "cf7fcd4f705ee749930d19ca84561a9bf62516bd90a471545fa2f49fdc7e63c8");
  EXPECT_EQ(of_length(1000), "b6a4ac1f51884d71f30fa397a5e155de3099e11fc0edef5d08b646e621e19de9");
}

TEST(EthereumAddress, ChecksumsAreThoseOfEip55) {
  for (const std::string text :
       {"0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
        "0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"}) {
    const auto address = EthereumAddress::parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->checksummed(), text);
    EXPECT_EQ(EthereumAddress::parse(address->lower_case()), address);
  }
}

TEST(EthereumAddress, AMistypedOneIsRefused) {
  const std::string good = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  for (std::size_t i = 2; i < good.size(); ++i) {
    std::string other_case = good;
    other_case[i] = static_cast<char>(other_case[i] ^ 0x20);
    EXPECT_FALSE(EthereumAddress::parse(other_case)) << other_case;
  }
  for (const std::string& wrong : {std::string(), std::string("0x"), good.substr(2), good + "0", good.substr(0, 41),
                                   "0X" + good.substr(2), " " + good.substr(1), "0x" + std::string(40, 'g')})
    EXPECT_FALSE(EthereumAddress::parse(wrong)) << wrong;
}

TEST(SignatureRecovery, TheSignersAccountIsRecovered) {
  EXPECT_EQ(crypto::hex(crypto::personal_message_digest("hello")),
            "50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750");
  EXPECT_EQ(recovered("hello", signature), signer);
  std::string bare_parity = signature;
  bare_parity[64] = 0;
  EXPECT_EQ(recovered("hello", bare_parity), signer);
  EXPECT_EQ(recovered("grüße 🔑", crypto::unhex("e0d965226afea7a6ff8d206c94bcd5a3baa7d680360ef0ccc75dd4c871434b3e"
                                               "35253fdf4b5f2b2a20a004601d6ec4abf8d4134bc4127330d878c465b237dee81b")),
            signer)
      << "the length that is signed counts bytes";
}

TEST(SignatureRecovery, AnotherTextGivesAnotherSigner) {
  EXPECT_NE(recovered("hello ", signature), signer);
  EXPECT_NE(recovered("Hello", signature), signer);
}

TEST(SignatureRecovery, TheMalleatedTwinIsRefused) { EXPECT_EQ(recovered("hello", malleated(signature)), "none"); }

TEST(SignatureRecovery, DegenerateSignaturesHaveNoSigner) {
  const std::string zero(32, '\0'), r = signature.substr(0, 32), s = signature.substr(32, 32), v = "\x1b";
  const std::string all_ones(32, '\xff');
  for (const std::string& wrong :
       {std::string(), zero + zero + v, r + zero + v, zero + s + v, order + s + v, r + order + v, all_ones + s + v,
        r + all_ones + v, signature.substr(0, 64), signature + '\0', signature.substr(1), std::string(65, '\0'),
        std::string(65, '\xff')})
    EXPECT_EQ(recovered("hello", wrong), "none") << crypto::hex(wrong);
  for (int parity = 0; parity < 256; ++parity) {
    if (parity == 0 || parity == 1 || parity == 27 || parity == 28) continue;
    std::string wrong = signature;
    wrong[64] = static_cast<char>(parity);
    EXPECT_EQ(recovered("hello", wrong), "none") << parity;
  }
  EXPECT_FALSE(crypto::recover_signer("short", signature));
}

// Recovery identifiers 2 and 3 stand for an x beyond the group's order; Ethereum has no way to write them.
TEST(SignatureRecovery, NumbersBeyondTheOrderAreNotReduced) {
  const auto plus_order = [](std::string number) {
    for (int carry = 0, i = 32; i-- > 0;) {
      const int sum = static_cast<unsigned char>(number[static_cast<std::size_t>(i)]) +
                      static_cast<unsigned char>(order[static_cast<std::size_t>(i)]) + carry;
      number[static_cast<std::size_t>(i)] = static_cast<char>(sum);
      carry = sum >> 8;
    }
    return number;
  };
  const std::string one = std::string(31, '\0') + '\x01', s = signature.substr(32, 32);
  ASSERT_NE(recovered("hello", one + s + "\x1b"), "none") << "1 is the x of a point";
  for (const char parity : {'\x1b', '\x1c'}) EXPECT_EQ(recovered("hello", plus_order(one) + s + parity), "none");
  EXPECT_EQ(recovered("hello", signature.substr(0, 32) + plus_order(one) + "\x1b"), "none");
}

TEST(SignatureRecovery, EveryFlippedBitNamesAnotherAccount) {
  for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
    std::string wrong = signature;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(recovered("hello", wrong), signer) << bit;
  }
}

TEST(Base64Url, IsEncodedAndDecoded) {
  EXPECT_EQ(crypto::to_base64url(""), "");
  EXPECT_EQ(crypto::to_base64url(std::string("\xfb\xef\xff", 3)), "--__");
  for (std::size_t length = 0; length < 70; ++length) {
    const std::string bytes = crypto::random_bytes(length);
    EXPECT_EQ(crypto::from_base64url(crypto::to_base64url(bytes)), bytes);
  }
}

TEST(Base64Url, EachTextHasOneSpelling) {
  for (const std::string_view wrong : {"A", "AAAAA", "AA==", "AB", "AAB", "A A", "AA\n", "A+", "A/", "Ä"})
    EXPECT_FALSE(crypto::from_base64url(wrong)) << wrong;
  EXPECT_EQ(crypto::from_base64url("AA"), std::string(1, '\0'));
}

}  // namespace ethereum_test
