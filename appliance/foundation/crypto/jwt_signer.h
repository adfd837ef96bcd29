// Signed JSON Web Tokens (RFC 7519 in RFC 7515's compact form) that the box issues.
#pragma once

#include <openssl/evp.h>

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crypto {

// Cheap to copy; callable from every thread.
class JwtSigner {
 public:
  // An Ed25519 key as 64 bytes in base64, seed and public key (EdDSA); or an EC key on P-256 (ES256), in PEM or as
  // base64 of its DER (PKCS #8). In PEM from a setting, line breaks may be written as "\n". Nothing for anything else.
  static std::optional<JwtSigner> from_text(std::string_view key);

  // `header` gets the algorithm, and `typ` JWT.
  std::string sign(boost::json::object header, const boost::json::object& claims) const;
  // JOSE's form of a signature over any text: 64 bytes.
  std::string signature_of(std::string_view text) const;
  // The public key as a JWK with its required members alone, in the order that its thumbprint (RFC 7638) takes. Only of
  // an EC key; throws std::logic_error for others.
  boost::json::object public_jwk() const;

 private:
  JwtSigner(std::shared_ptr<EVP_PKEY> key, bool is_ed25519) : key_(std::move(key)), is_ed25519_(is_ed25519) {}

  std::shared_ptr<EVP_PKEY> key_;
  bool is_ed25519_;
};

}  // namespace crypto
