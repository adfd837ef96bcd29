// Wallets that are contracts: they say themselves whether a signature is theirs (ERC-1271), also before they are
// deployed (ERC-6492).
#pragma once

#include <string>
#include <string_view>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/crypto/ethereum.h"
#include "web/result.h"
#include "web/task.h"

namespace wallet_sign_in {

// Whether the signature ends in ERC-6492's mark: then it carries how to deploy the wallet it is of.
bool is_for_undeployed_wallet(std::string_view signature);

// Asks the chain, by calls alone: nothing is ever deployed. An account without code that no deployment comes with, a
// call that reverts and any answer but the standard's are false. Errors are the chain's.
web::Task<web::Result<bool>> contract_accepts(chain::Rpc&, crypto::EthereumAddress wallet, std::string digest,
                                              std::string signature);

}  // namespace wallet_sign_in
