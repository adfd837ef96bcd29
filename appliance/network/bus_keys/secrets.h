// The text forms of secrets.
#pragma once

#include <string>

#include "appliance/network/bus_keys/records.h"

namespace bus_keys {

// As the owner gets it: of a webhook `whsec_` and base64 (standardwebhooks.com), of hmac_sha256 base64url.
std::string shown(const Key&);

}  // namespace bus_keys
