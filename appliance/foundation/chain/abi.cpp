#include "appliance/foundation/chain/abi.h"

#include "appliance/foundation/crypto/keccak.h"
#include "appliance/foundation/crypto/random.h"

namespace chain {

namespace {

std::optional<std::string> dynamic_bytes(std::string_view data, std::size_t head) {
  const auto offset = small_number(data.substr(head, word_bytes));
  if (!offset || *offset > data.size() || data.size() - *offset < word_bytes) return std::nullopt;
  const auto length = small_number(data.substr(*offset, word_bytes));
  const auto rest = data.substr(*offset + word_bytes);
  if (!length || *length > rest.size()) return std::nullopt;
  return std::string(rest.substr(0, *length));
}

}  // namespace

std::string selector(std::string_view signature) { return crypto::keccak256(signature).substr(0, selector_bytes); }

std::string word(std::uint64_t number) {
  std::string bytes(word_bytes, '\0');
  for (std::size_t i = word_bytes; number != 0; number >>= 8) bytes[--i] = static_cast<char>(number);
  return bytes;
}

std::string word(const crypto::EthereumAddress& address) {
  return std::string(word_bytes - address.bytes().size(), '\0') + address.bytes();
}

std::string tail_bytes(std::string_view bytes) {
  std::string tail = word(bytes.size());
  tail += bytes;
  tail.resize((tail.size() + word_bytes - 1) / word_bytes * word_bytes, '\0');
  return tail;
}

std::optional<std::uint64_t> small_number(std::string_view word) {
  constexpr std::size_t zeros = word_bytes - sizeof(std::uint64_t);
  if (word.size() != word_bytes || word.substr(0, zeros) != std::string(zeros, '\0')) return std::nullopt;
  std::uint64_t number = 0;
  for (const char byte : word.substr(zeros)) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::optional<std::string> decode_string(std::string_view data) {
  if (data.size() < word_bytes) return std::nullopt;
  return dynamic_bytes(data, 0);
}

std::optional<AddressAndTwoBytes> decode_address_and_two_bytes(std::string_view data) {
  if (data.size() < 3 * word_bytes) return std::nullopt;
  const auto address = crypto::EthereumAddress::parse(to_hex(data.substr(12, 20)));
  auto first = dynamic_bytes(data, word_bytes), second = dynamic_bytes(data, 2 * word_bytes);
  if (!address || !first || !second || data.substr(0, 12) != std::string(12, '\0')) return std::nullopt;
  return AddressAndTwoBytes{*address, std::move(*first), std::move(*second)};
}

std::string to_hex(std::string_view bytes) { return "0x" + crypto::hex(bytes); }

std::optional<std::string> from_hex(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  std::string bytes = crypto::unhex(text);
  if (bytes.size() * 2 != text.size()) return std::nullopt;
  return bytes;
}

}  // namespace chain
