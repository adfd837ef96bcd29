// Signed JSON Web Tokens (RFC 7519 in RFC 7515's compact form) that others issue.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/verification_key.h"
#include "web/result.h"

namespace crypto {

// A well-formed token with an unverified signature: until signed_by() has returned true, its claims only select the
// keys.
class UnverifiedJwt {
 public:
  // invalid, with the reason, for: more than 64 KiB, another form than three parts of base64url, JSON with duplicate
  // names, any algorithm except RS256, PS256, ES256 and EdDSA, headers that require extensions (`crit`, `b64`) or
  // contain a key
  // (`jwk`, `jku`, `x5u`, `x5c`), and claims that are not an object.
  static web::Result<UnverifiedJwt> parse(std::string_view text);

  SignatureAlgorithm algorithm() const { return algorithm_; }
  const std::string& key_id() const { return key_id_; }  // kid; empty without one
  const std::string& type() const { return type_; }      // typ in lower case, without "application/"
  const boost::json::object& claims() const { return claims_; }

  // False also if the key is for another algorithm than the token's.
  bool signed_by(const VerificationKey&) const;
  // The key of the token's kid and algorithm; without a kid, the only key of its algorithm. Null if there is none.
  const VerificationKey* key_in(const std::vector<VerificationKey>&) const;

 private:
  UnverifiedJwt() = default;
  SignatureAlgorithm algorithm_{};
  std::string key_id_, type_;
  boost::json::object claims_;
  std::string signed_text_, signature_;
};

// A claim that is a date (seconds, possibly with a fraction) between 1970 and 9999; nothing otherwise.
std::optional<std::chrono::sys_seconds> time_claim(const boost::json::object& claims, std::string_view name);
// The `aud` claim: one string or an array of them; empty if it is missing or of another type.
std::vector<std::string> audience(const boost::json::object& claims);

}  // namespace crypto
