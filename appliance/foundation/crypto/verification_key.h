// Published public keys, each fixed to one signature algorithm when it is read, so that no token can choose another.
#pragma once

#include <openssl/evp.h>

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace crypto {

enum class SignatureAlgorithm { RS256, PS256, ES256, EdDSA };
// By its exact JOSE name; nothing for any other algorithm, including "none" and HMAC.
std::optional<SignatureAlgorithm> signature_algorithm(std::string_view name);

// Cheap to copy; callable from every thread.
class VerificationKey {
 public:
  // A JWK (RFC 7517, RFC 8037) for signatures: RSA of 2048 to 8192 bits (two keys, RS256 and PS256, unless `alg` names
  // one), EC on P-256 (ES256), or OKP on Ed25519 (EdDSA). Empty for other types and curves, points off the curve, keys
  // that `use`, `key_ops` or `alg` reserve for something else, and keys that come with their private part.
  static std::vector<VerificationKey> from_jwk(const boost::json::object&);
  // For RS256 and ES256 from their big-endian numbers; coordinates have 32 bytes. Nothing outside the bounds above.
  static std::optional<VerificationKey> rsa(std::string id, std::string_view modulus, std::string_view exponent);
  static std::optional<VerificationKey> p256(std::string id, std::string_view x, std::string_view y);

  const std::string& id() const { return id_; }  // kid; may be empty
  SignatureAlgorithm algorithm() const { return algorithm_; }
  // The signature in JOSE's form: for ES256 r and s, 32 bytes each.
  bool verify(std::string_view message, std::string_view signature) const;
  // The signature in ASN.1's form, as in WebAuthn: for ES256 the DER sequence of r and s in canonical form.
  bool verify_asn1(std::string_view message, std::string_view signature) const;

 private:
  VerificationKey(std::string id, SignatureAlgorithm algorithm, std::shared_ptr<EVP_PKEY> key)
      : id_(std::move(id)), algorithm_(algorithm), key_(std::move(key)) {}
  std::string id_;
  SignatureAlgorithm algorithm_;
  std::shared_ptr<EVP_PKEY> key_;
};

// Reads a JWKS document and skips invalid and unusable keys. Keeps two keys of one kid and algorithm, but no token
// matches either (UnverifiedJwt::key_in). invalid if it is not a JWKS document.
web::Result<std::vector<VerificationKey>> parse_key_set(std::string_view text);

}  // namespace crypto
