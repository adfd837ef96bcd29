// Authorizations of EIP-3009, against what viem 2.56 makes of the same input.
#include "appliance/payments/acceptance/authorization.h"

#include <gtest/gtest.h>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/erc20.h"
#include "appliance/foundation/chain/uint256.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/payments/acceptance/authorization_settlement.h"
#include "appliance/payments/acceptance/verification.h"

namespace authorization_test {

using eip3009::Authorization;

const std::string payer = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A";
const std::string receiver = "0x8617E340B3D01FA5F11F306F4090FD50E238070D";
const std::string signature =
    "0x3d16dcb4f8b4205b90a5fa12380df6e5de578e6f7f449d1438decc63820b7a24115f96a132b6ff5f6dfb171666a94090fcf0203d1723dfff"
    "17c649d385cf000e1c";
const std::string separator = crypto::unhex("02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f");

boost::json::object fields() {
  return {{"from", payer},
          {"to", receiver},
          {"value", "1000"},
          {"validAfter", "0"},
          {"validBefore", "1800000000"},
          {"nonce", "0x" + crypto::hex(std::string(32, '\xab'))}};
}
Authorization authorization() { return eip3009::parse_authorization(fields(), signature, "it").value(); }

crypto::EthereumAddress address(const std::string& text) { return crypto::EthereumAddress::parse(text).value(); }
store::Time at(std::int64_t seconds) { return store::Time(std::chrono::seconds(seconds)); }

TEST(Authorization, IsSignedInTheTokensDomain) {
  EXPECT_EQ(crypto::hex(eip3009::digest(authorization(), separator)),
            "379f82cf9188058cea9c4ab126b1c309b7547038baec286cef27dd61fcf83b3b");
  EXPECT_TRUE(eip3009::is_signed_by_key(authorization(), {.name = {}, .version = {}, .separator = separator}));
  const std::string other_domain(32, '\1');
  EXPECT_FALSE(eip3009::is_signed_by_key(authorization(), {.name = {}, .version = {}, .separator = other_domain}));
  auto dearer = authorization();
  dearer.value = chain::word(1001);
  EXPECT_FALSE(eip3009::is_signed_by_key(dearer, {.name = {}, .version = {}, .separator = separator}));
}

TEST(Authorization, IsReadStrictly) {
  EXPECT_EQ(eip3009::to_json(authorization()), fields());
  const auto refusal = [](std::string_view name, const boost::json::value& value) {
    auto changed = fields();
    changed[name] = value;
    const auto read = eip3009::parse_authorization(changed, signature, "it");
    return read ? std::string() : read.error().message;
  };
  for (const auto* number : {"", "-1", "+1", "1e3", "0x10", " 1", "1.0", "01", "NaN", "１"}) {
    EXPECT_NE(refusal("value", number), "") << number;
    EXPECT_NE(refusal("validBefore", number), "") << number;
  }
  const std::string most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
  EXPECT_EQ(refusal("value", boost::json::string(most)), "");
  const std::string beyond = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
  EXPECT_EQ(refusal("value", boost::json::string(beyond)),
            "it.value must be a whole number of at most 256 bits, in decimal digits");
  EXPECT_NE(refusal("value", 1000), "");
  EXPECT_NE(refusal("from", "0x19e7E376E7C213B7E7e7e46cc70A5dD086DAff2A"), "") << "a wrong checksum";
  EXPECT_NE(refusal("nonce", "0x12"), "");
  for (const auto* odd : {"", "0x", "0x1", "zz", "0xzz"})
    EXPECT_FALSE(eip3009::parse_authorization(fields(), odd, "it")) << odd;
}

TEST(Authorization, PaysExactlyThisWithinItsTime) {
  const eip3009::PaymentTerms due{.receiver = address(receiver), .value = chain::word(1000)};
  EXPECT_FALSE(eip3009::check_terms(authorization(), due, at(1'700'000'000)));
  EXPECT_TRUE(
      eip3009::check_terms(authorization(), {.receiver = address(payer), .value = due.value}, at(1'700'000'000)));
  EXPECT_TRUE(
      eip3009::check_terms(authorization(), {.receiver = due.receiver, .value = chain::word(999)}, at(1'700'000'000)));
  EXPECT_TRUE(eip3009::check_terms(authorization(), due, at(1'800'000'000)));
  EXPECT_TRUE(eip3009::check_terms(authorization(), due, at(1'799'999'995))) << "no time to send it";
  auto later = authorization();
  later.valid_after = chain::word(1'700'000'100);
  EXPECT_TRUE(eip3009::check_terms(later, due, at(1'700'000'000)));
}

TEST(Authorization, IsPaidByTheTransferRightBehindItsUseOnly) {
  const auto token = address("0x036CbD53842c5426634e7929541eC2318f3dCF7e");
  const auto used = crypto::keccak256("AuthorizationUsed(address,bytes32)");
  const auto wanted = authorization();
  const auto event = [&](std::vector<std::string> topics, std::string data) {
    return chain::Receipt::Log{.contract = token.lower_case(), .topics = std::move(topics), .data = std::move(data)};
  };
  const auto use_of = [&](const std::string& nonce) { return event({used, chain::word(wanted.from), nonce}, ""); };
  const auto transfer = [&](const crypto::EthereumAddress& to, std::uint64_t value) {
    return event({chain::transfer_event(), chain::word(wanted.from), chain::word(to)}, chain::word(value));
  };
  const auto moves = [&](std::vector<chain::Receipt::Log> logs) {
    return eip3009::moves({.has_succeeded = true, .logs = std::move(logs), .block = {}, .block_hash = {}}, token,
                          wanted);
  };
  const std::string other(32, '\xcd');
  EXPECT_TRUE(moves({use_of(wanted.nonce), transfer(wanted.to, 1000)}));
  EXPECT_TRUE(moves({use_of(other), transfer(wanted.to, 1000), use_of(wanted.nonce), transfer(wanted.to, 1000)}));
  // One payment, and authorizations of nothing to the payer itself in the same transaction.
  EXPECT_FALSE(moves({use_of(wanted.nonce), transfer(wanted.from, 0), use_of(other), transfer(wanted.to, 1000)}));
  EXPECT_FALSE(moves({use_of(other), transfer(wanted.to, 1000), use_of(wanted.nonce), transfer(wanted.from, 0)}));
  EXPECT_FALSE(moves({transfer(wanted.to, 1000), use_of(wanted.nonce)}));
  EXPECT_FALSE(moves({use_of(wanted.nonce), transfer(wanted.to, 999)}));
}

TEST(Authorization, OfSmartWalletsIsSentAsBytes) {
  const auto by_key = eip3009::transfer_call(authorization(), authorization().signature);
  EXPECT_EQ(crypto::hex(by_key.substr(0, 4)), "e3ee160e");
  EXPECT_EQ(by_key.size(), 4u + 9 * 32);
  const auto by_wallet = eip3009::transfer_call(authorization(), std::string(70, 's'));
  EXPECT_EQ(crypto::hex(by_wallet.substr(0, 4)), "cf092995");
  EXPECT_EQ(by_wallet.size(), 4u + 8 * 32 + 3 * 32);
}

}  // namespace authorization_test
