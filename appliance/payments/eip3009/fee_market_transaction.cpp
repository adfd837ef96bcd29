#include "appliance/payments/eip3009/fee_market_transaction.h"

#include "appliance/foundation/crypto/keccak.h"

namespace eip3009 {

namespace {

constexpr char type = '\x02';
constexpr std::size_t longest_short = 55;  // bytes whose length is in the first byte

std::string big_endian(std::uint64_t number) {
  std::string bytes;
  for (; number != 0; number >>= 8) bytes.insert(bytes.begin(), static_cast<char>(number));
  return bytes;
}

// RLP's head of a string (0x80) or a list (0xc0).
std::string head(unsigned base, std::size_t length) {
  if (length <= longest_short) return {static_cast<char>(base + length)};
  const auto digits = big_endian(length);
  return static_cast<char>(base + longest_short + digits.size()) + digits;
}

std::string text(std::string_view bytes) {
  constexpr unsigned char base = 0x80;
  if (bytes.size() == 1 && static_cast<unsigned char>(bytes[0]) < base) return std::string(bytes);
  return head(base, bytes.size()).append(bytes);
}
std::string number(std::uint64_t value) { return text(big_endian(value)); }
std::string list(std::string_view items) { return head(0xc0, items.size()).append(items); }

// A number of 32 bytes, without its leading zeros.
std::string number(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('\0'), word.size()));
  return text(word);
}

}  // namespace

std::string signed_by(const crypto::EthereumSigner& signer, const FeeMarketTransaction& one) {
  const std::string fields = number(one.chain_id) + number(one.nonce) + number(one.max_priority_fee) +
                             number(one.max_fee) + number(one.gas) + text(one.to.bytes()) + number(0) + text(one.data) +
                             list({});
  const std::string signature = signer.sign(crypto::keccak256(type + list(fields)));
  constexpr std::size_t word = 32;
  constexpr unsigned first_v = 27;
  const auto parity = static_cast<unsigned char>(signature.back()) - first_v;
  const std::string_view bytes = signature;
  return type + list(fields + number(parity) + number(bytes.substr(0, word)) + number(bytes.substr(word, word)));
}

}  // namespace eip3009
