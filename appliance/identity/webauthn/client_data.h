// The client data of a ceremony, from the browser (section 5.8.1). The authenticator signs the SHA-256 of its bytes.
#pragma once

#include <string>
#include <string_view>

#include "appliance/identity/webauthn/relying_party.h"
#include "web/result.h"

namespace webauthn {

inline constexpr std::string_view creation = "webauthn.create", assertion = "webauthn.get";

// The challenge (raw bytes) of a ceremony of this type on a page of this site. invalid, naming clientDataJSON: it is
// not JSON, of another type or origin, from a page in another site's frame, or has a TLS token binding, which this box
// does not support.
web::Result<std::string> challenge_of(std::string_view json, std::string_view type, const RelyingParty&);

}  // namespace webauthn
