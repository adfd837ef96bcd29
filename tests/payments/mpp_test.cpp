// MPP's challenges and Tempo's transfers, against what mppx 0.11 makes of the same input.
#include <gtest/gtest.h>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/payments/acceptance/challenge.h"
#include "appliance/payments/acceptance/rlp.h"
#include "appliance/payments/acceptance/tempo.h"

namespace mpp_test {

using namespace mpp;

const std::string realm = "box.example.org", secret = "a secret of the tests with more than 32 characters";
const std::string id = "x_2qTRvdRUtHkwlOgWrGowRJhpouHLg5jj63hx1Xdzw";
const std::string request =
    "eyJhbW91bnQiOiIxMDAwIiwiY3VycmVuY3kiOiIweDIwQzAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAiLCJtZXRob2REZXRhaW"
    "xz"
    "Ijp7ImNoYWluSWQiOjQyMTcsInN1cHBvcnRlZE1vZGVzIjpbInB1bGwiLCJwdXNoIl19LCJyZWNpcGllbnQiOiIweDg2MTdFMzQwQjNEMDFGQTVGMT"
    "FG"
    "MzA2RjQwOTBGRDUwRTIzODA3MEQifQ";
const std::string memo = crypto::unhex("ef1ed712019d72f2886ea7451753aecb55331fe813af43bf1d69479cd671d178");
const std::string transaction = crypto::unhex(
    "76f8d88210790114830186a0f87ef87c9420c000000000000000000000000000000000000080b86495777d5900000000000000000000000086"
    "17e340b3d01fa5f11f306f4090fd50e238070d00000000000000000000000000000000000000000000000000000000000003e8ef1ed712019d"
    "72f2886ea7451753aecb55331fe813af43bf1d69479cd671d178c08003846b49d200808080c0b841655318ca8ec0439aa4a91998d895dfc48c"
    "bb9a851c03646fbe3023357f14a164244d5f9fce022d225d297a598a31dc6a739d3339b9554785c98c806a54922fe91b");

crypto::EthereumAddress address(std::string_view text) { return crypto::EthereumAddress::parse(text).value(); }
const auto token = address("0x20c0000000000000000000000000000000000000");
const auto receiver = address("0x8617E340B3D01FA5F11F306F4090FD50E238070D");

Challenge challenge() {
  return {.id = id,
          .realm = realm,
          .method = "tempo",
          .intent = "charge",
          .request = request,
          .expires = "2026-11-24T12:00:00.000Z",
          .digest = "sha-256=:abc=:",
          .opaque = {},
          .description = {}};
}
Transfer due() {
  return {.token = token,
          .receiver = receiver,
          .amount = chain::word(1000),
          .realm = realm,
          .challenge_id = id,
          .payer = {}};
}

TEST(Challenges, AreBoundByTheSecret) {
  EXPECT_EQ(encode_request(tempo_request(token, receiver, "1000")), request);
  const Challenges challenges(secret);
  EXPECT_TRUE(challenges.has_issued(challenge()));
  EXPECT_FALSE(Challenges(secret + "!").has_issued(challenge()));
  for (auto member : {&Challenge::realm, &Challenge::method, &Challenge::intent, &Challenge::request,
                      &Challenge::expires, &Challenge::digest, &Challenge::opaque}) {
    auto changed = challenge();
    changed.*member += "x";
    EXPECT_FALSE(challenges.has_issued(changed));
  }
  const auto issued =
      challenges.issue(realm, "tempo", tempo_request(token, receiver, "1"), digest_of("{}"), "x", store::now());
  EXPECT_TRUE(challenges.has_issued(issued));
  EXPECT_FALSE(has_expired(issued, store::now()));
  EXPECT_TRUE(has_expired(issued, store::now() + challenge_life));
  EXPECT_TRUE(has_expired({}, store::now()));
}

TEST(Challenges, QuoteWhatTheirHeaderMustQuote) {
  auto odd = challenge();
  odd.description = R"(say "hi" \o/)";
  EXPECT_NE(header_of(odd).find(R"(description="say \"hi\" \\o/")"), std::string::npos);
}

TEST(Memo, BelongsToOneChallenge) {
  EXPECT_TRUE(is_memo_of(memo, realm, id));
  EXPECT_FALSE(is_memo_of(memo, realm, id + "x"));
  EXPECT_FALSE(is_memo_of(memo, "other.example.org", id));
  EXPECT_FALSE(is_memo_of(memo.substr(1), realm, id));
}

TEST(Tempo, ReadsTransactions) {
  const auto read = parse_tempo_transaction(transaction);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->chain_id, tempo_chain_id);
  EXPECT_FALSE(read->wants_fee_payer);
  EXPECT_TRUE(makes(*read, due()));
  auto dearer = due();
  dearer.amount = chain::word(1001);
  EXPECT_FALSE(makes(*read, dearer));
  auto to_another = due();
  to_another.receiver = token;
  EXPECT_FALSE(makes(*read, to_another));
  auto of_another = due();
  of_another.challenge_id += "x";
  EXPECT_FALSE(makes(*read, of_another));
}

TEST(Tempo, RefusesWhatIsNoTransaction) {
  for (std::size_t length = 0; length < transaction.size(); ++length)
    EXPECT_FALSE(parse_tempo_transaction(transaction.substr(0, length))) << length;
  EXPECT_FALSE(parse_tempo_transaction(transaction + "x"));
  for (std::size_t at = 0; at < transaction.size(); ++at) {
    auto changed = transaction;
    changed[at] = static_cast<char>(changed[at] ^ 0x80);
    if (const auto read = parse_tempo_transaction(changed)) {
      EXPECT_LE(read->calls.size(), 3u);
    }
  }
}

chain::Receipt receipt() {
  const auto event = crypto::keccak256("TransferWithMemo(address,address,uint256,bytes32)");
  chain::Receipt one{.has_succeeded = true};
  one.logs.push_back({.contract = token.lower_case(),
                      .topics = {event, chain::word(token), chain::word(receiver), memo},
                      .data = chain::word(1000)});
  return one;
}

TEST(Tempo, FindsTheTransferAmongTheEvents) {
  EXPECT_EQ(payer_in(receipt(), due()), token);
  auto by_another = due();
  by_another.payer = receiver;
  EXPECT_FALSE(payer_in(receipt(), by_another));
  auto failed = receipt();
  failed.has_succeeded = false;
  EXPECT_FALSE(payer_in(failed, due()));
  auto elsewhere = receipt();
  elsewhere.logs[0].contract = receiver.lower_case();
  EXPECT_FALSE(payer_in(elsewhere, due()));
  auto without_memo = receipt();
  without_memo.logs[0].topics.pop_back();
  EXPECT_FALSE(payer_in(without_memo, due()));
}

TEST(Rlp, IsReadInItsCanonicalFormOnly) {
  EXPECT_TRUE(read_rlp(crypto::unhex("00")));
  EXPECT_TRUE(read_rlp(crypto::unhex("8180")));
  EXPECT_FALSE(read_rlp(crypto::unhex("8100"))) << "a byte that is its own encoding";
  EXPECT_FALSE(
      read_rlp(crypto::unhex("b801"
                             "ff")))
      << "a long form for a short string";
  EXPECT_FALSE(read_rlp(crypto::unhex("b90038"))) << "a length with a leading zero";
  EXPECT_FALSE(read_rlp(crypto::unhex("bfffffffffffffffff"))) << "a length beyond everything";
}

TEST(Credential, NamesItsAccount) {
  EXPECT_EQ(account_of("did:pkh:eip155:4217:0x8617E340B3D01FA5F11F306F4090FD50E238070D", 4217), receiver);
  EXPECT_FALSE(account_of("did:pkh:eip155:1:0x8617E340B3D01FA5F11F306F4090FD50E238070D", 4217));
  EXPECT_FALSE(account_of("did:pkh:eip155:4217:", 4217));
  EXPECT_EQ(payment_credential("payment abc"), "abc");
  EXPECT_FALSE(payment_credential("Bearer abc"));
  EXPECT_FALSE(parse_credential("!!!"));
  EXPECT_FALSE(parse_credential("e30"));
}

}  // namespace mpp_test
