#include "appliance/foundation/crypto/ed25519.h"

#include <stdexcept>

#include "appliance/foundation/crypto/c_library.h"

namespace crypto {

namespace {

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

DigestContext new_digest_context() { return {EVP_MD_CTX_new(), EVP_MD_CTX_free}; }

[[noreturn]] void fail_ed25519() { throw std::runtime_error("Ed25519 of OpenSSL failed"); }

}  // namespace

SigningKey::SigningKey(std::string_view seed) {
  if (seed.size() != 32) throw std::invalid_argument("an Ed25519 key is made from 32 bytes");
  key_.reset(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, unsigned_bytes(seed), seed.size()), EVP_PKEY_free);
  public_key_.resize(32);
  std::size_t size = public_key_.size();
  if (!key_ ||
      EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(public_key_.data()), &size) != 1)
    fail_ed25519();
}

std::string SigningKey::sign(std::string_view message) const {
  const auto context = new_digest_context();
  std::string signature(64, '\0');
  std::size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, unsigned_bytes(message),
                     message.size()) != 1)
    fail_ed25519();
  return signature;
}

bool verify_ed25519(std::string_view public_key, std::string_view message, std::string_view signature) {
  if (public_key.size() != 32 || signature.size() != 64) return false;
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, unsigned_bytes(public_key), public_key.size()),
      EVP_PKEY_free);
  const auto context = new_digest_context();
  return key && context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), unsigned_bytes(signature), signature.size(), unsigned_bytes(message),
                          message.size()) == 1;
}

}  // namespace crypto
