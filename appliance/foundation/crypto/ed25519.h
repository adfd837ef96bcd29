// Signatures with Ed25519 (RFC 8032). Callable from every thread.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace crypto {

class SigningKey {
 public:
  // `seed`: 32 secret bytes, such as derived_key(); std::invalid_argument for any other number.
  explicit SigningKey(std::string_view seed);

  std::string sign(std::string_view message) const;              // 64 raw bytes
  const std::string& public_key() const { return public_key_; }  // 32 raw bytes

 private:
  std::shared_ptr<EVP_PKEY> key_;
  std::string public_key_;
};

// False also for a public key or a signature of the wrong length.
bool verify_ed25519(std::string_view public_key, std::string_view message, std::string_view signature);

}  // namespace crypto
