#include "appliance/payments/mpp_charge/memo.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/crypto/keccak.h"

namespace mpp_charge {

bool is_memo_of(std::string_view memo, std::string_view realm, std::string_view challenge_id) {
  constexpr std::size_t tag_bytes = 4, realm_bytes = 10, client_bytes = 10, nonce_bytes = 7;
  if (memo.size() != chain::word_bytes) return false;
  std::string head = crypto::keccak256("mpp").substr(0, tag_bytes);
  head += '\x01';
  head += crypto::keccak256(realm).substr(0, realm_bytes);
  return memo.starts_with(head) &&
         memo.substr(head.size() + client_bytes) == crypto::keccak256(challenge_id).substr(0, nonce_bytes);
}

}  // namespace mpp_charge
