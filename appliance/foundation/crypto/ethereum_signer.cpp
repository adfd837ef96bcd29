#include "appliance/foundation/crypto/ethereum_signer.h"

#include <openssl/crypto.h>
#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "appliance/foundation/crypto/c_library.h"
#include "appliance/foundation/crypto/random.h"

namespace crypto {

namespace {

constexpr std::size_t secret_bytes = 32;

using SigningContext = std::unique_ptr<secp256k1_context, Release<secp256k1_context_destroy>>;

// Blinded against side channels.
SigningContext signing_context() {
  SigningContext context(secp256k1_context_create(SECP256K1_CONTEXT_SIGN));
  const auto blinding = random_bytes(32);
  if (!context || secp256k1_context_randomize(context.get(), unsigned_bytes(blinding)) != 1)
    throw std::runtime_error("no context for signing can be made");
  return context;
}

void erase(std::string& secret) { OPENSSL_cleanse(secret.data(), secret.size()); }

}  // namespace

EthereumSigner EthereumSigner::generate() {
  for (;;) {  // beyond the group's order with a probability of about 2^-128
    auto secret = random_bytes(secret_bytes);
    auto signer = from_secret(secret);
    erase(secret);
    if (signer) return std::move(*signer);
  }
}

std::optional<EthereumSigner> EthereumSigner::from_secret(std::string_view secret) {
  secp256k1_pubkey key;
  if (secret.size() != secret_bytes ||
      secp256k1_ec_pubkey_create(signing_context().get(), &key, unsigned_bytes(secret)) != 1)
    return std::nullopt;
  std::array<unsigned char, 65> serialized{};
  std::size_t size = serialized.size();
  secp256k1_ec_pubkey_serialize(secp256k1_context_static, serialized.data(), &size, &key, SECP256K1_EC_UNCOMPRESSED);
  auto address = EthereumAddress::of_public_key({reinterpret_cast<const char*>(serialized.data()) + 1, 64});
  return EthereumSigner(std::string(secret), std::move(address));
}

std::optional<EthereumSigner> EthereumSigner::from_text(std::string_view text) {
  if (!text.starts_with("0x") || text.size() != 2 + 2 * secret_bytes) return std::nullopt;
  auto secret = unhex(text.substr(2));
  auto signer = from_secret(secret);
  erase(secret);
  return signer;
}

EthereumSigner::~EthereumSigner() { erase(secret_); }

std::string EthereumSigner::sign(std::string_view digest) const {
  secp256k1_ecdsa_recoverable_signature signature;
  if (digest.size() != 32 ||
      secp256k1_ecdsa_sign_recoverable(signing_context().get(), &signature, unsigned_bytes(digest),
                                       unsigned_bytes(secret_), nullptr, nullptr) != 1)
    throw std::logic_error("only digests of 32 bytes can be signed");
  std::array<unsigned char, 64> compact{};
  int parity = 0;
  secp256k1_ecdsa_recoverable_signature_serialize_compact(secp256k1_context_static, compact.data(), &parity,
                                                          &signature);
  std::string bytes(reinterpret_cast<const char*>(compact.data()), compact.size());
  return bytes += static_cast<char>(27 + parity);
}

std::string EthereumSigner::secret_hex() const { return hex(secret_); }

}  // namespace crypto
