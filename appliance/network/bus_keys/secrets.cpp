#include "appliance/network/bus_keys/secrets.h"

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/base64url.h"

namespace bus_keys {

std::string shown(const Key& key) {
  if (key.algorithm == Algorithm::webhook) return "whsec_" + crypto::to_base64(key.secret.clear);
  return crypto::to_base64url(key.secret.clear);
}

}  // namespace bus_keys
