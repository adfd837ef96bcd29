// Transactions as another implementation writes them: the expected bytes are viem's.
#include "appliance/foundation/chain/transaction.h"

#include <gtest/gtest.h>

#include "appliance/foundation/chain/erc20.h"
#include "appliance/foundation/chain/rlp.h"
#include "appliance/foundation/chain/uint256.h"
#include "appliance/foundation/crypto/random.h"

namespace transaction_test {

using crypto::EthereumAddress;
using crypto::EthereumSigner;

TEST(Rlp, WritesTheFormsOfTheYellowPaper) {
  const auto hex = [](const std::string& bytes) { return crypto::hex(bytes); };
  EXPECT_EQ(hex(chain::rlp::text("dog")), "83646f67");
  EXPECT_EQ(hex(chain::rlp::list(chain::rlp::text("cat") + chain::rlp::text("dog"))), "c88363617483646f67");
  EXPECT_EQ(hex(chain::rlp::text("")), "80");
  EXPECT_EQ(hex(chain::rlp::number(std::uint64_t{0})), "80");
  EXPECT_EQ(hex(chain::rlp::number(15)), "0f");
  EXPECT_EQ(hex(chain::rlp::number(1024)), "820400");
  EXPECT_EQ(hex(chain::rlp::text("Lorem ipsum dolor sit amet, consectetur adipisicing elit")).substr(0, 4), "b838");
}

TEST(Transaction, IsSignedAsOthersSignIt) {
  const auto signer = EthereumSigner::from_secret(std::string(32, '\x11')).value();
  EXPECT_EQ(signer.address().checksummed(), "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A");
  const auto to = EthereumAddress::parse("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed").value();
  const auto made = chain::sign({.chain_id = 8453,
                                 .nonce = 7,
                                 .max_priority_fee = 1'000'000'000,
                                 .max_fee = 30'000'000'000,
                                 .gas = 65'000,
                                 .to = to,
                                 .value = chain::word_of_digits("1500000000000000000").value(),
                                 .data = chain::transfer_of(to, 2'500'000)},
                                signer);
  EXPECT_EQ(crypto::hex(made.bytes),
            "02f8ba82210507843b9aca008506fc23ac0082fde8945aaeb6053f3e94c9b9a09f33669435e7ef1beaed8814d1120d7b1600"
            "00b844a9059cbb0000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed0000000000000000000000"
            "0000000000000000000000000000000000002625a0c001a0971259f20fa7352e5f1a12d62d14227a4be05d31a3591dfbaba7"
            "8e33d10860cfa016bcf4827449f5c6baa3970e5fcee34a4a21445ce5edf083e1e4b80cea7edf64");
  EXPECT_EQ(crypto::hex(made.hash), "7789dcf5f1ebfbcc87f2d9cd02c8af2631fbef08ce457e4b9e7b262f1e8cd3df");
}

TEST(EthereumSigner, AcceptsKeysOfTheCurveAlone) {
  EXPECT_FALSE(EthereumSigner::from_secret(std::string(32, '\0')));
  EXPECT_FALSE(
      EthereumSigner::from_secret(crypto::unhex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")));
  EXPECT_TRUE(
      EthereumSigner::from_secret(crypto::unhex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140")));
  EXPECT_FALSE(EthereumSigner::from_secret(std::string(31, '\x11')));
  EXPECT_FALSE(EthereumSigner::from_text(std::string(64, '1')));
  EXPECT_TRUE(EthereumSigner::from_text("0x" + std::string(64, '1')));
}

TEST(EthereumSigner, SignaturesGiveTheirSigner) {
  const auto signer = EthereumSigner::generate();
  for (int round = 0; round < 50; ++round) {
    const auto digest = crypto::random_bytes(32);
    EXPECT_EQ(crypto::recover_signer(digest, signer.sign(digest)), signer.address());
  }
}

}  // namespace transaction_test
