// The few shapes of Solidity's call data that the box sends and reads. Words are 32 raw bytes, big-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/ethereum.h"

namespace chain {

inline constexpr std::size_t word_bytes = 32, selector_bytes = 4;

// The first four bytes of a function's hash, which begin its call data: selector("balanceOf(address)").
std::string selector(std::string_view signature);

std::string word(std::uint64_t);
std::string word(const crypto::EthereumAddress&);
// The encoding of a dynamic `bytes` in the tail: its length and the bytes, padded with zeros to whole words.
std::string tail_bytes(std::string_view);

// The uint64 in a word; nothing if the word is larger.
std::optional<std::uint64_t> small_number(std::string_view word);

// abi.decode(data, (string)); nothing when its offset or length points out of `data`.
std::optional<std::string> decode_string(std::string_view data);

// abi.decode(data, (address, bytes, bytes)); nothing when any offset or length points out of `data`.
struct AddressAndTwoBytes {
  crypto::EthereumAddress address;
  std::string first, second;
};
std::optional<AddressAndTwoBytes> decode_address_and_two_bytes(std::string_view data);

// "0x" and hex, the form of bytes in JSON-RPC.
std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);

}  // namespace chain
