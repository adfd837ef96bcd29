// Security Event Tokens (RFC 8417), delivered by push (RFC 8935).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/oidc/key_cache.h"
#include "appliance/identity/security_events/records.h"
#include "web/result.h"
#include "web/task.h"

namespace security_events {

struct Transmitter {
  std::string issuer;                   // empty: not configured, and every token is refused
  std::vector<std::string> client_ids;  // audiences of ours
};

// The token's content after its issuer, audience, key and signature were verified, in this order. `exp` is ignored:
// events do not expire. Progress and times are left empty. invalid, with `err` of RFC 8935 and `description` in the
// answer. internal: the provider's keys cannot be fetched.
web::Task<web::Result<Received>> verify(const Transmitter&, oidc::KeyCache&, std::string_view token);

// The address of the JWKS that the issuer's RISC configuration names.
web::Task<web::Result<std::string>> locate_keys(std::string issuer);

}  // namespace security_events
