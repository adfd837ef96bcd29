// What the browser says about a ceremony (section 5.8.1): signed by the authenticator as the SHA-256 of its bytes.
#pragma once

#include <string>
#include <string_view>

#include "appliance/identity/webauthn/relying_party.h"
#include "web/result.h"

namespace webauthn {

inline constexpr std::string_view creation = "webauthn.create", assertion = "webauthn.get";

// The challenge (raw bytes) of a ceremony of this type on a page of ours. invalid, naming clientDataJSON, for anything
// else: no JSON, another type, another origin, a page in another site's frame, or a bound TLS token, which this box's
// TLS never has.
web::Result<std::string> challenge_of(std::string_view json, std::string_view type, const RelyingParty&);

}  // namespace webauthn
