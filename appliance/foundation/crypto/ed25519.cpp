#include "appliance/foundation/crypto/ed25519.h"

#include <stdexcept>

namespace crypto {

namespace {

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Context new_context() { return {EVP_MD_CTX_new(), EVP_MD_CTX_free}; }

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

[[noreturn]] void fail() { throw std::runtime_error("Ed25519 of OpenSSL failed"); }

}  // namespace

SigningKey::SigningKey(std::string_view seed) {
  if (seed.size() != 32) throw std::invalid_argument("an Ed25519 key is made from 32 bytes");
  key_.reset(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes(seed), seed.size()), EVP_PKEY_free);
  public_key_.resize(32);
  std::size_t size = public_key_.size();
  if (!key_ ||
      EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(public_key_.data()), &size) != 1)
    fail();
}

std::string SigningKey::sign(std::string_view message) const {
  const auto context = new_context();
  std::string signature(64, '\0');
  std::size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes(message),
                     message.size()) != 1)
    fail();
  return signature;
}

bool verify_ed25519(std::string_view public_key, std::string_view message, std::string_view signature) {
  if (public_key.size() != 32 || signature.size() != 64) return false;
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes(public_key), public_key.size()), EVP_PKEY_free);
  const auto context = new_context();
  return key && context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(message), message.size()) == 1;
}

}  // namespace crypto
