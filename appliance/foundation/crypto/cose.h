// Public keys in the form of authenticators (COSE, RFC 9053), of the types in RFC 8812 that WebAuthn needs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "appliance/foundation/crypto/cbor.h"
#include "appliance/foundation/crypto/verification_key.h"

namespace crypto {

// IANA's numbers of the accepted signature algorithms, the preferred one first: ES256 and RS256.
inline constexpr std::array<std::int64_t, 2> cose_algorithms{-7, -257};
std::int64_t cose_algorithm(SignatureAlgorithm);

// Reads one COSE_Key: EC2 on P-256 for ES256, or RSA for RS256, with the bounds of VerificationKey. Nothing for every
// other key: one without an algorithm or with another, with a field twice, or with its private part.
std::optional<VerificationKey> read_cose_key(CborReader&);

}  // namespace crypto
