// The key by which a certificate authority knows this box, and the messages that it signs (RFC 8555, section 6.2).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/jwt_signer.h"

namespace acme {

class AccountKey {
 public:
  // From a PEM file, which is made if it is missing. Throws UsageError.
  static AccountKey load(const std::filesystem::path&);

  // The body of a request: a flattened JWS. `account`: the account's URL; empty: the public key takes its place.
  std::string sign(const std::string& account, const std::string& nonce, const std::string& url,
                   std::string_view payload) const;
  // What a challenge with this token expects.
  std::string authorization(const std::string& token) const;

 private:
  explicit AccountKey(crypto::JwtSigner signer) : signer_(std::move(signer)) {}

  crypto::JwtSigner signer_;
};

}  // namespace acme
