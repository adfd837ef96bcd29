// The JSON of x402 and its headers.
#include "appliance/payments/acceptance/x402.h"

#include <gtest/gtest.h>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/random.h"

namespace x402_test {

namespace json = boost::json;

crypto::EthereumAddress address(std::string_view text) { return crypto::EthereumAddress::parse(text).value(); }

x402::Requirements required() {
  return {.chain_id = 8453,
          .asset = address("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
          .pay_to = address("0x8617E340B3D01FA5F11F306F4090FD50E238070D"),
          .amount = "1000",
          .name = "USD Coin",
          .version = "2"};
}

json::object payload(int version) {
  json::object authorization{{"from", "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"},
                             {"to", "0x8617E340B3D01FA5F11F306F4090FD50E238070D"},
                             {"value", "1000"},
                             {"validAfter", "0"},
                             {"validBefore", "1800000000"},
                             {"nonce", "0x" + crypto::hex(std::string(32, '\xab'))}};
  json::object paid{{"signature", "0x" + std::string(130, '1')}, {"authorization", std::move(authorization)}};
  if (version == 1) return {{"x402Version", 1}, {"scheme", "exact"}, {"network", "base"}, {"payload", std::move(paid)}};
  return {{"x402Version", 2}, {"accepted", x402::requirements_v2(required())}, {"payload", std::move(paid)}};
}

TEST(X402Payload, IsMadeForItsRequirements) {
  for (const int version : {1, 2}) {
    const auto read = x402::read_header(x402::header_of(payload(version)));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->version, version);
    EXPECT_FALSE(x402::mismatch(*read, required()));
    auto elsewhere = required();
    elsewhere.chain_id = 84532;
    EXPECT_TRUE(x402::mismatch(*read, elsewhere));
  }
  const auto read = x402::read_header(x402::header_of(payload(2))).value();
  for (const auto change :
       {+[](x402::Requirements& one) { one.amount = "1001"; }, +[](x402::Requirements& one) { one.asset = one.pay_to; },
        +[](x402::Requirements& one) { one.pay_to = one.asset; }}) {
    auto other = required();
    change(other);
    EXPECT_TRUE(x402::mismatch(read, other));
  }
}

TEST(X402Payload, OfTheBoxsOwnReadsBack) {
  const auto read = x402::read_header(x402::header_of(payload(2))).value();
  EXPECT_EQ(x402::payload_v2(read.authorization, required()), json::value(payload(2)));
}

TEST(X402Payload, IsRefusedForWhatIsWrong) {
  EXPECT_FALSE(x402::read_header(""));
  EXPECT_FALSE(x402::read_header("!!!!"));
  EXPECT_FALSE(x402::read_header(crypto::to_base64("{}")));
  EXPECT_FALSE(x402::read_header(crypto::to_base64(R"({"x402Version":2,"x402Version":2})")));
  EXPECT_FALSE(x402::read_header(crypto::to_base64(json::serialize(payload(2)) + "x")));
  for (const auto* member : {"x402Version", "accepted", "payload"}) {
    auto without = payload(2);
    without.erase(member);
    EXPECT_FALSE(x402::parse_payload(without)) << member;
  }
  for (const json::value& version : {json::value(0), json::value(3), json::value("2"), json::value(2.5)}) {
    auto odd = payload(2);
    odd["x402Version"] = version;
    EXPECT_FALSE(x402::parse_payload(odd)) << json::serialize(version);
  }
}

TEST(X402Requirements, OfAFacilitatorAreOfItsChain) {
  const auto read = x402::parse_requirements(x402::requirements_v2(required()), 2, 8453);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->asset, required().asset);
  EXPECT_FALSE(x402::parse_requirements(x402::requirements_v2(required()), 2, 1));
  const auto old = x402::requirements_v1(required(), {.url = "https://example.org", .description = "a thing"});
  ASSERT_TRUE(old);
  EXPECT_TRUE(x402::parse_requirements(*old, 1, 8453));
  EXPECT_FALSE(x402::parse_requirements(*old, 2, 8453));
  auto unnamed = required();
  unnamed.chain_id = 123'456;
  EXPECT_FALSE(x402::requirements_v1(unnamed, {})) << "version 1 has no name for this chain";
}

TEST(Base64, IsReadInItsCanonicalFormOnly) {
  for (const std::string& bytes :
       {std::string(), std::string("f"), std::string("fo"), std::string("foo"), std::string("\xfb\xff\xfe", 3)})
    EXPECT_EQ(crypto::from_base64(crypto::to_base64(bytes)), bytes);
  EXPECT_EQ(crypto::to_base64("f"), "Zg==");
  for (const auto* odd : {"Zg", "Zg=", "Zh==", "Zg==Zg==", "Zg= =", "====", "Zm9v\n", "-_-_", "Zm9vZ==="})
    EXPECT_FALSE(crypto::from_base64(odd)) << odd;
}

}  // namespace x402_test
