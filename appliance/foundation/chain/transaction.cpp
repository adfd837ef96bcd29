#include "appliance/foundation/chain/transaction.h"

#include "appliance/foundation/chain/rlp.h"
#include "appliance/foundation/crypto/keccak.h"

namespace chain {

namespace {

constexpr char type = 2;

std::string fields_of(const Transaction& transaction) {
  std::string fields = rlp::number(transaction.chain_id);
  fields += rlp::number(transaction.nonce);
  fields += rlp::number(transaction.max_priority_fee);
  fields += rlp::number(transaction.max_fee);
  fields += rlp::number(transaction.gas);
  fields += rlp::text(transaction.to.bytes());
  fields += rlp::number(transaction.value);
  fields += rlp::text(transaction.data);
  fields += rlp::list("");  // no access list
  return fields;
}

}  // namespace

SignedTransaction sign(const Transaction& transaction, const crypto::EthereumSigner& signer) {
  std::string fields = fields_of(transaction);
  const auto signature = signer.sign(crypto::keccak256(type + rlp::list(fields)));
  const bool is_odd = signature[64] == 28;
  fields += rlp::number(is_odd ? 1 : 0);
  fields += rlp::number(std::string_view(signature).substr(0, 32));
  fields += rlp::number(std::string_view(signature).substr(32, 32));
  SignedTransaction signed_one{.bytes = type + rlp::list(fields), .hash = {}};
  signed_one.hash = crypto::keccak256(signed_one.bytes);
  return signed_one;
}

}  // namespace chain
