// The authenticator data of a ceremony (section 6.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/verification_key.h"
#include "web/result.h"

namespace webauthn {

// Maximum length of a credential id (section 7.1 of Level 3).
inline constexpr std::size_t max_id_bytes = 1023;

struct AttestedCredential {
  std::string aaguid;      // 16 bytes: the model of the authenticator, or zeros
  std::string id;          // raw bytes
  std::string public_key;  // the COSE_Key as received
  crypto::VerificationKey key;
};

struct AuthenticatorData {
  std::uint32_t sign_count = 0;  // 0 for authenticators without a counter
  bool is_user_verified = false;
  std::optional<AttestedCredential> credential;
};

// Bytes: SHA-256 of the relying party's id (32), flags (1: bit 0 user present, 2 user verified, 6 attested credential
// follows, 7 extensions follow), counter (4, big-endian); aaguid (16), length of the id (2, big-endian), id, COSE_Key;
// extensions, a CBOR map. invalid, naming authenticatorData: it is for another relying party, without a user present,
// truncated, has trailing bytes, or a key that is neither ES256 nor RS256.
web::Result<AuthenticatorData> parse_authenticator_data(std::string_view bytes, std::string_view relying_party);

// The key out of AttestedCredential::public_key.
std::optional<crypto::VerificationKey> stored_key(std::string_view public_key);

}  // namespace webauthn
