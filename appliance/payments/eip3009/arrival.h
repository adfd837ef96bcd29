// Finds out what became of an authorization, regardless of its sender.
#pragma once

#include <optional>
#include <string>

#include "appliance/payments/eip3009/authorization.h"
#include "appliance/payments/eip3009/token.h"

namespace eip3009 {

// Whether the transaction used the authorization: the token's event AuthorizationUsed of its nonce comes right before
// the Transfer of the authorized amount from payer to receiver, as in EIP-3009's reference implementation.
bool moves(const chain::Receipt&, const crypto::EthereumAddress& token, const Authorization&);

struct Arrival {
  enum class State { arrived, unused, canceled };
  State state = State::unused;
  std::string transaction{};  // arrived: its hash
};
// Looks for the event of the authorization's use in recent blocks. Unavailable also if the authorization was used but
// no recent block tells how.
web::Task<web::Result<Arrival>> find_arrival(Token&, Authorization);

}  // namespace eip3009
