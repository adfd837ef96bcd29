// The one place that signs with keys of Ethereum-like chains.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/ethereum.h"

namespace crypto {

// A private key on secp256k1. Its copy of the secret is erased from memory when it ends. Movable; for one thread at a
// time.
class EthereumSigner {
 public:
  static EthereumSigner generate();
  // 32 bytes; nothing for another length, zero, and numbers beyond the group's order.
  static std::optional<EthereumSigner> from_secret(std::string_view secret);
  // "0x" and 64 hex digits, as wallets export keys.
  static std::optional<EthereumSigner> from_text(std::string_view text);

  EthereumSigner(EthereumSigner&&) noexcept = default;
  EthereumSigner& operator=(EthereumSigner&&) = delete;
  EthereumSigner(const EthereumSigner&) = delete;
  EthereumSigner& operator=(const EthereumSigner&) = delete;
  ~EthereumSigner();

  const EthereumAddress& address() const { return address_; }
  // r, s and v of the digest (32 bytes), with the lower s: 65 bytes; v is 27 or 28. Deterministic (RFC 6979).
  std::string sign(std::string_view digest) const;
  // The secret in hex, to be sealed and stored.
  std::string secret_hex() const;

 private:
  EthereumSigner(std::string secret, EthereumAddress address)
      : secret_(std::move(secret)), address_(std::move(address)) {}
  std::string secret_;  // 32 bytes
  EthereumAddress address_;
};

}  // namespace crypto
