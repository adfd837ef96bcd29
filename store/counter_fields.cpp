#include "store/counter_fields.h"

#include <array>
#include <boost/endian/conversion.hpp>

#include "store/engine.h"

namespace store {
namespace {

// 0, -1, 1, -2, 2 as 0, 1, 2, 3, 4: small ones of both signs are short.
std::uint64_t folded(std::int64_t figure) {
  return static_cast<std::uint64_t>(figure) << 1 ^ static_cast<std::uint64_t>(figure >> 63);
}
std::int64_t unfolded(std::uint64_t number) { return static_cast<std::int64_t>(number >> 1 ^ (0 - (number & 1))); }

constexpr char groups_of_seven = 'c', eight_bytes_each = 'v';

std::int64_t take_figure(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) break;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fu} << shift;
    if (shift == 63 && byte > 1) break;
    if (byte < 0x80) return unfolded(number);
  }
  throw Corrupt("a counter holds what is no figure");
}

}  // namespace

std::string encode(const CounterFields& figures) {
  constexpr std::size_t longest = 10;  // bytes of a figure
  std::array<char, 1 + longest * CounterFields::most> bytes;
  auto* end = bytes.data();
  *end++ = groups_of_seven;
  for (const auto figure : figures) {
    auto number = folded(figure);
    for (; number >= 0x80; number >>= 7) *end++ = static_cast<char>(number | 0x80);
    *end++ = static_cast<char>(number);
  }
  return {bytes.data(), end};
}

CounterFields decode_counter(std::string_view bytes) {
  CounterFields figures;
  if (bytes.starts_with(groups_of_seven)) {
    for (bytes.remove_prefix(1); !bytes.empty();) {
      if (figures.size() == CounterFields::most) throw Corrupt("a counter has too many figures");
      figures.push_back(take_figure(bytes));
    }
    return figures;
  }
  if (!bytes.starts_with(eight_bytes_each) || bytes.size() % 8 != 1 || bytes.size() > 1 + 8 * CounterFields::most)
    throw Corrupt("a counter holds no figures");
  for (std::size_t at = 1; at < bytes.size(); at += 8)
    figures.push_back(boost::endian::load_big_s64(reinterpret_cast<const unsigned char*>(bytes.data()) + at));
  return figures;
}

}  // namespace store
