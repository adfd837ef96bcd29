#include "appliance/foundation/crypto/ethereum.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "appliance/foundation/crypto/c_library.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/foundation/crypto/random.h"

namespace crypto {

namespace {

constexpr std::size_t address_bytes = 20;

bool is_upper_letter(char c) { return c >= 'A' && c <= 'F'; }
bool is_lower_letter(char c) { return c >= 'a' && c <= 'f'; }

bool has_low_s(const secp256k1_ecdsa_recoverable_signature& signature) {
  secp256k1_ecdsa_signature plain;
  secp256k1_ecdsa_recoverable_signature_convert(secp256k1_context_static, &plain, &signature);
  return secp256k1_ecdsa_signature_normalize(secp256k1_context_static, nullptr, &plain) == 0;
}

EthereumAddress address_of(const secp256k1_pubkey& key) {
  std::array<unsigned char, 65> serialized{};
  std::size_t size = serialized.size();
  secp256k1_ec_pubkey_serialize(secp256k1_context_static, serialized.data(), &size, &key, SECP256K1_EC_UNCOMPRESSED);
  return EthereumAddress::of_public_key({reinterpret_cast<const char*>(serialized.data()) + 1, 64});
}

}  // namespace

std::optional<EthereumAddress> EthereumAddress::parse(std::string_view text) {
  if (text.size() != 2 + 2 * address_bytes || !text.starts_with("0x")) return std::nullopt;
  const std::string_view digits = text.substr(2);
  std::string bytes = unhex(digits);
  if (bytes.size() != address_bytes) return std::nullopt;
  EthereumAddress address(std::move(bytes));
  const bool is_mixed = std::ranges::any_of(digits, is_upper_letter) && std::ranges::any_of(digits, is_lower_letter);
  if (is_mixed && address.checksummed() != text) return std::nullopt;
  return address;
}

EthereumAddress EthereumAddress::of_public_key(std::string_view key) {
  return EthereumAddress(keccak256(key).substr(32 - address_bytes));
}

std::string EthereumAddress::checksummed() const {
  std::string digits = hex(bytes_);
  const std::string marks = hex(keccak256(digits));
  for (std::size_t i = 0; i < digits.size(); ++i)
    if (is_lower_letter(digits[i]) && marks[i] >= '8') digits[i] = static_cast<char>(digits[i] - 'a' + 'A');
  return "0x" + digits;
}

std::string EthereumAddress::lower_case() const { return "0x" + hex(bytes_); }

EthereumKey new_ethereum_key() {
  const std::unique_ptr<secp256k1_context, Release<secp256k1_context_destroy>> context(
      secp256k1_context_create(SECP256K1_CONTEXT_SIGN));
  const auto blinding = random_bytes(32);  // against side channels
  if (!context || secp256k1_context_randomize(context.get(), unsigned_bytes(blinding)) != 1)
    throw std::runtime_error("no key can be made");
  for (;;) {
    auto secret = random_bytes(32);
    secp256k1_pubkey key;
    // Beyond the group's order with a probability of about 2^-128.
    if (secp256k1_ec_pubkey_create(context.get(), &key, unsigned_bytes(secret)) == 1)
      return {.secret = std::move(secret), .address = address_of(key)};
  }
}

std::string personal_message_digest(std::string_view message) {
  std::string framed =
      "\x19"
      "Ethereum Signed Message:\n" +
      std::to_string(message.size());
  return keccak256(framed.append(message));
}

std::optional<EthereumAddress> recover_signer(std::string_view digest, std::string_view signature) {
  if (digest.size() != 32 || signature.size() != 65) return std::nullopt;
  int parity = static_cast<unsigned char>(signature[64]);
  if (parity >= 27) parity -= 27;
  if (parity > 1) return std::nullopt;

  secp256k1_ecdsa_recoverable_signature parsed;
  if (secp256k1_ecdsa_recoverable_signature_parse_compact(secp256k1_context_static, &parsed, unsigned_bytes(signature),
                                                          parity) != 1 ||
      !has_low_s(parsed))
    return std::nullopt;
  secp256k1_pubkey key;
  if (secp256k1_ecdsa_recover(secp256k1_context_static, &key, &parsed, unsigned_bytes(digest)) != 1)
    return std::nullopt;
  return address_of(key);
}

}  // namespace crypto
