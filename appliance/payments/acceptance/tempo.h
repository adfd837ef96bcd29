// The method `tempo` of MPP: a transfer of a token on Tempo, sent by the payer (hash) or for it by the box
// (transaction).
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/crypto/ethereum.h"

namespace mpp {

inline constexpr std::uint64_t tempo_chain_id = 4217;

// What a transfer has to be, to pay for a challenge.
struct Transfer {
  crypto::EthereumAddress token, receiver;
  std::string amount;  // a word
  std::string realm, challenge_id;
  std::optional<crypto::EthereumAddress> payer;  // not set: anybody
};

// The account that paid; nothing if no event of the transaction is such a transfer.
std::optional<crypto::EthereumAddress> payer_in(const chain::Receipt&, const Transfer&);

// A signed transaction of Tempo (type 0x76).
struct TempoTransaction {
  struct Call {
    std::string to, data;  // raw bytes
  };
  std::uint64_t chain_id = 0;
  std::vector<Call> calls;
  bool wants_fee_payer = false;  // another account has to sign for its fees
};
std::optional<TempoTransaction> parse_tempo_transaction(std::string_view raw);
bool makes(const TempoTransaction&, const Transfer&);

// The request of a challenge. `amount` in the token's smallest unit.
boost::json::object tempo_request(const crypto::EthereumAddress& token, const crypto::EthereumAddress& receiver,
                                  std::string_view amount);

// The account of did:pkh:eip155:<chain>:<address>; nothing for another form or chain.
std::optional<crypto::EthereumAddress> account_of(std::string_view source, std::uint64_t chain_id);

// Whether the memo makes a transfer that of one challenge, so that no other transfer can be presented for it. A word:
// "mpp" hashed (4 bytes), version 1, the realm hashed (10), the client (10, or zeros), the challenge's id hashed (7).
bool is_memo_of(std::string_view memo, std::string_view realm, std::string_view challenge_id);

}  // namespace mpp
