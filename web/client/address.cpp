#include "web/client/address.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "web/client/fetch.h"

namespace web {
namespace {

using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

struct Block4 {
  std::uint32_t network;
  int bits;
};

constexpr std::uint32_t quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// IANA's special-purpose registry, and a cloud's metadata address outside of it.
constexpr std::array not_public_v4{
    Block4{quad(0, 0, 0, 0), 8},         // this network
    Block4{quad(10, 0, 0, 0), 8},        // private (RFC 1918)
    Block4{quad(100, 64, 0, 0), 10},     // carrier-grade NAT
    Block4{quad(127, 0, 0, 0), 8},       // loopback
    Block4{quad(168, 63, 129, 16), 32},  // a cloud's host and metadata agent
    Block4{quad(169, 254, 0, 0), 16},    // link-local, metadata
    Block4{quad(172, 16, 0, 0), 12},     // private
    Block4{quad(192, 0, 0, 0), 24},      // protocol assignments
    Block4{quad(192, 0, 2, 0), 24},      // documentation
    Block4{quad(192, 31, 196, 0), 24},   // AS112
    Block4{quad(192, 52, 193, 0), 24},   // AMT
    Block4{quad(192, 88, 99, 0), 24},    // 6to4 relays
    Block4{quad(192, 168, 0, 0), 16},    // private
    Block4{quad(192, 175, 48, 0), 24},   // AS112
    Block4{quad(198, 18, 0, 0), 15},     // benchmarking
    Block4{quad(198, 51, 100, 0), 24},   // documentation
    Block4{quad(203, 0, 113, 0), 24},    // documentation
    Block4{quad(224, 0, 0, 0), 3},       // multicast, reserved, broadcast
};

bool is_public(address_v4 address) {
  const std::uint32_t bits = address.to_uint();
  return std::ranges::none_of(
      not_public_v4, [bits](const Block4& block) { return ((bits ^ block.network) >> (32 - block.bits)) == 0; });
}

using Bytes = address_v6::bytes_type;

bool starts_with(const Bytes& address, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), address.begin());
}

bool carries_public_v4(const Bytes& address, std::size_t at) {
  return is_public(address_v4({address[at], address[at + 1], address[at + 2], address[at + 3]}));
}

bool is_public(const address_v6& address) {
  const Bytes bytes = address.to_bytes();
  if (address.is_v4_mapped()) return carries_public_v4(bytes, 12);
  if (starts_with(bytes, {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0}))
    return carries_public_v4(bytes, 12);                                     // NAT64
  if (starts_with(bytes, {0x20, 0x02})) return carries_public_v4(bytes, 2);  // 6to4
  if ((bytes[0] & 0xe0) != 0x20) return false;  // global unicast is 2000::/3; everything else is local or reserved
  if (starts_with(bytes, {0x20, 0x01}) && bytes[2] < 2) return false;     // 2001::/23: Teredo, ORCHID, benchmarking
  if (starts_with(bytes, {0x20, 0x01, 0x0d, 0xb8})) return false;         // documentation
  if (starts_with(bytes, {0x3f, 0xff}) && bytes[2] < 0x10) return false;  // 3fff::/20: documentation
  if (starts_with(bytes, {0x26, 0x20, 0x00, 0x4f, 0x80, 0x00})) return false;  // AS112
  return true;
}

}  // namespace

bool is_public_address(const boost::asio::ip::address& address) {
  return address.is_v4() ? is_public(address.to_v4()) : is_public(address.to_v6());
}

bool is_public_address(std::string_view text) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(text, error);
  return !error && is_public_address(address);
}

}  // namespace web
