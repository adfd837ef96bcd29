#include "appliance/foundation/crypto/hmac.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <stdexcept>

namespace crypto {

std::string hmac_sha256(std::string_view key, std::string_view message) {
  std::string mac(32, '\0');
  unsigned size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(message.data()), message.size(),
           reinterpret_cast<unsigned char*>(mac.data()), &size) == nullptr)
    throw std::runtime_error("HMAC of OpenSSL failed");
  return mac;
}

std::string derived_key(std::string_view master_key, std::string_view purpose) {
  return hmac_sha256(master_key, "agentbox key for " + std::string(purpose));
}

}  // namespace crypto
