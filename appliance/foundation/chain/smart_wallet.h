// Smart wallets: contracts that verify their own signatures (ERC-1271), also before they are deployed (ERC-6492).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/crypto/ethereum.h"
#include "web/result.h"
#include "web/task.h"

namespace chain {

// Whether the signature ends in ERC-6492's magic bytes: then it contains how to deploy its wallet.
bool is_for_undeployed_wallet(std::string_view signature);
// The signature that the wallet itself checks: without ERC-6492's wrapping, if there is one. Nothing if the wrapping is
// malformed.
std::optional<std::string> inner_signature(std::string_view signature);

// Asks the chain by calls only: nothing is ever deployed. False for an account without code and without a deployment in
// the signature, for a call that reverts and for any answer but the standard's. Errors are the chain's.
web::Task<web::Result<bool>> contract_accepts(Rpc&, crypto::EthereumAddress wallet, std::string digest,
                                              std::string signature);

}  // namespace chain
