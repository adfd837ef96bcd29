#include "store/counter_fields.h"

#include <array>
#include <boost/endian/conversion.hpp>

#include "store/engine.h"

namespace store {
namespace {

// 0, -1, 1, -2, 2 as 0, 1, 2, 3, 4: small numbers of both signs are short.
std::uint64_t zigzag(std::int64_t field) {
  return static_cast<std::uint64_t>(field) << 1 ^ static_cast<std::uint64_t>(field >> 63);
}
std::int64_t from_zigzag(std::uint64_t number) { return static_cast<std::int64_t>(number >> 1 ^ (0 - (number & 1))); }

constexpr char groups_of_seven = 'c', eight_bytes_each = 'v';

std::int64_t take_field(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) break;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fu} << shift;
    if (shift == 63 && byte > 1) break;
    if (byte < 0x80) return from_zigzag(number);
  }
  throw Corrupt("a counter holds a malformed field");
}

}  // namespace

std::string encode(const CounterFields& fields) {
  constexpr std::size_t longest = 10;  // bytes of a field
  std::array<char, 1 + longest * CounterFields::most> bytes;
  auto* end = bytes.data();
  *end++ = groups_of_seven;
  for (const auto field : fields) {
    auto number = zigzag(field);
    for (; number >= 0x80; number >>= 7) *end++ = static_cast<char>(number | 0x80);
    *end++ = static_cast<char>(number);
  }
  return {bytes.data(), end};
}

CounterFields decode_counter(std::string_view bytes) {
  CounterFields fields;
  if (bytes.starts_with(groups_of_seven)) {
    for (bytes.remove_prefix(1); !bytes.empty();) {
      if (fields.size() == CounterFields::most) throw Corrupt("a counter has too many fields");
      fields.push_back(take_field(bytes));
    }
    return fields;
  }
  if (!bytes.starts_with(eight_bytes_each) || bytes.size() % 8 != 1 || bytes.size() > 1 + 8 * CounterFields::most)
    throw Corrupt("a counter holds no fields");
  for (std::size_t at = 1; at < bytes.size(); at += 8)
    fields.push_back(boost::endian::load_big_s64(reinterpret_cast<const unsigned char*>(bytes.data()) + at));
  return fields;
}

}  // namespace store
