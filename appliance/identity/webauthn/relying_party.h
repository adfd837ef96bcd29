// The site that asks a browser for a passkey (Web Authentication Level 2, section 5.1.2).
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace webauthn {

struct RelyingParty {
  std::string id;                                          // a domain; passkeys are bound to it
  std::function<bool(std::string_view origin)> is_origin;  // of a page that may use them
};

// Whether the challenge was issued for this ceremony and is still valid.
using IsChallenge = std::function<bool(std::string_view challenge)>;

}  // namespace webauthn
