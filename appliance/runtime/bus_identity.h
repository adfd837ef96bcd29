// The key with which an agent signs on the bus. It follows from the token that the agent gets when it is provisioned,
// so agent and box know it without exchanging it, and it is replaced together with the token.
#pragma once

#include <string_view>

#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/foundation/crypto/hmac.h"

namespace runtime {

inline constexpr std::string_view own_bus_key_id = "own";  // in the place of a registered key's id

inline crypto::SigningKey own_bus_key(std::string_view box_token) {
  return crypto::SigningKey(crypto::derived_key(box_token, "agent bus"));
}

}  // namespace runtime
