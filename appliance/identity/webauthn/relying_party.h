// Who asks a browser for a passkey (Web Authentication Level 2, section 5.1.2: the relying party).
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace webauthn {

struct RelyingParty {
  std::string id;                                          // a domain; passkeys belong to it
  std::function<bool(std::string_view origin)> is_origin;  // whose pages may use them
};

// Whether a challenge is the one that this ceremony began with, and still good.
using IsChallenge = std::function<bool(std::string_view challenge)>;

}  // namespace webauthn
