// Security Event Tokens (RFC 8417) as the provider's push delivery brings them (RFC 8935).
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
  std::string issuer;                   // empty: none is configured, and every token is another's
  std::vector<std::string> client_ids;  // audiences of ours
};

// The token's content once its issuer, audience, key and signature have been found right, in this order; `exp` is not
// looked at, since events do not expire. Progress and times are left empty. invalid, with `err` of RFC 8935 and
// `description` in the answer; internal: the provider's keys cannot be had.
web::Task<web::Result<Received>> verify(const Transmitter&, oidc::KeyCache&, std::string_view token);

// The address of the JWKS that the issuer's RISC configuration names.
web::Task<web::Result<std::string>> locate_keys(std::string issuer);

}  // namespace security_events
