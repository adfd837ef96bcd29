#include "appliance/foundation/chain/rlp.h"

namespace chain::rlp {

namespace {

constexpr std::size_t longest_short = 55;
constexpr unsigned text_offset = 0x80, list_offset = 0xC0;

std::string without_zeros(std::string_view big_endian) {
  const auto first = big_endian.find_first_not_of('\0');
  return first == std::string_view::npos ? std::string() : std::string(big_endian.substr(first));
}

std::string bytes_of(std::uint64_t value) {
  std::string bytes;
  for (; value != 0; value >>= 8) bytes.insert(bytes.begin(), static_cast<char>(value & 0xFF));
  return bytes;
}

std::string with_prefix(std::string_view content, unsigned offset) {
  std::string encoded;
  if (content.size() <= longest_short) {
    encoded += static_cast<char>(offset + content.size());
  } else {
    const auto size = bytes_of(content.size());
    encoded += static_cast<char>(offset + longest_short + size.size());
    encoded += size;
  }
  return encoded.append(content);
}

}  // namespace

std::string text(std::string_view bytes) {
  if (bytes.size() == 1 && static_cast<unsigned char>(bytes.front()) < text_offset) return std::string(bytes);
  return with_prefix(bytes, text_offset);
}

std::string number(std::uint64_t value) { return text(bytes_of(value)); }
std::string number(std::string_view big_endian) { return text(without_zeros(big_endian)); }
std::string list(std::string_view items) { return with_prefix(items, list_offset); }

}  // namespace chain::rlp
