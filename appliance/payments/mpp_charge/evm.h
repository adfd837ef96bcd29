// The method `evm` of MPP: an authorization of EIP-3009 whose nonce is the hash of the challenge.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/payments/eip3009/authorization.h"
#include "appliance/payments/mpp_charge/challenge.h"

namespace mpp_charge {

// The request of a challenge. `amount` in the token's smallest unit.
boost::json::object evm_request(std::uint64_t chain_id, const crypto::EthereumAddress& token,
                                const crypto::EthereumAddress& receiver, std::string_view amount);

// The authorization of a credential. Invalid if it is malformed, or if its nonce is not the challenge's.
web::Result<eip3009::Authorization> authorization_of(const Credential&);

}  // namespace mpp_charge
