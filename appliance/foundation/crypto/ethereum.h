// Accounts of Ethereum-like chains: addresses, keys and recovery of the signer of a message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace crypto {

class EthereumAddress {
 public:
  // "0x" and 40 hex digits. In mixed case the EIP-55 checksum must hold; one case throughout carries none. Returns
  // nothing for any other text.
  static std::optional<EthereumAddress> parse(std::string_view text);
  // The account of an uncompressed public key: 64 bytes, without the leading 0x04.
  static EthereumAddress of_public_key(std::string_view key);

  std::string checksummed() const;  // EIP-55
  std::string lower_case() const;   // "0x" and 40 digits: the form for storing and comparing
  const std::string& bytes() const { return bytes_; }

  friend bool operator==(const EthereumAddress&, const EthereumAddress&) = default;

 private:
  explicit EthereumAddress(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes_;  // 20
};

// A new account: its private key, 32 bytes, and its address.
struct EthereumKey {
  std::string secret;
  EthereumAddress address;
};
EthereumKey new_ethereum_key();

// The digest that a wallet signs for a text (ERC-191, version 0x45): 32 bytes.
std::string personal_message_digest(std::string_view message);

// The account whose key made the signature (r, s and v: 65 bytes) over the digest (32 bytes). v is 27 or 28, or 0 or 1
// as some hardware wallets write it. Nothing for anything else, for r or s out of range, and for s in the upper half of
// the group: of the two equivalent signatures only the lower is accepted (EIP-2).
std::optional<EthereumAddress> recover_signer(std::string_view digest, std::string_view signature);

}  // namespace crypto
