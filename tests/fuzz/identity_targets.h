// What must hold for anything that claims to prove who somebody is. See targets.h.
#pragma once

#include <string_view>

namespace fuzz {

// The first byte chooses: CBOR, authenticator data (with the right relying party), a COSE key, or client data.
void webauthn(std::string_view bytes);
// A token is refused with a sentence, or has three parts, an algorithm and claims. After a NUL follows a key set.
void jwt(std::string_view bytes);
// A message is refused with a sentence, or is exactly the text that its fields make.
void siwe(std::string_view bytes);

}  // namespace fuzz
