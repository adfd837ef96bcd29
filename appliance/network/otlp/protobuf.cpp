#include "appliance/network/otlp/protobuf.h"

#include <bit>

namespace otlp::protobuf {

namespace {

constexpr unsigned type_bits = 3, varint_bits = 7;
constexpr std::size_t longest_varint = 10;
constexpr std::uint64_t highest_field = (1u << 29) - 1;

void append_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= varint_bits) out.push_back(static_cast<char>(0x80 | (value & 0x7f)));
  out.push_back(static_cast<char>(value));
}

void append_tag(std::string& out, std::uint32_t field, WireType type) {
  append_number(out, std::uint64_t{field} << type_bits | static_cast<std::uint64_t>(type));
}

}  // namespace

std::optional<Field> Message::fail() {
  is_valid_ = false;
  left_ = {};
  return std::nullopt;
}

std::optional<std::uint64_t> Message::varint() {
  std::uint64_t value = 0;
  for (std::size_t at = 0; at < longest_varint && at < left_.size(); ++at) {
    const auto byte = static_cast<unsigned char>(left_[at]);
    if (at == longest_varint - 1 && byte > 1) return std::nullopt;  // more than 64 bits
    value |= std::uint64_t{byte & 0x7fu} << (varint_bits * at);
    if (byte < 0x80) {
      left_.remove_prefix(at + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Message::fixed(std::size_t bytes) {
  if (left_.size() < bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t at = bytes; at-- > 0;) value = value << 8 | static_cast<unsigned char>(left_[at]);
  left_.remove_prefix(bytes);
  return value;
}

std::optional<Field> Message::next() {
  if (left_.empty()) return std::nullopt;
  const auto tag = varint();
  if (!tag || *tag >> type_bits == 0 || *tag >> type_bits > highest_field) return fail();
  Field field{.number = static_cast<std::uint32_t>(*tag >> type_bits), .bytes = {}};
  std::optional<std::uint64_t> value;
  switch (*tag & 7) {
    case 0:
      field.type = WireType::varint;
      value = varint();
      break;
    case 1:
      field.type = WireType::fixed64;
      value = fixed(8);
      break;
    case 5:
      field.type = WireType::fixed32;
      value = fixed(4);
      break;
    case 2:
      field.type = WireType::bytes;
      value = varint();
      if (!value || *value > left_.size()) return fail();
      field.bytes = left_.substr(0, *value);
      left_.remove_prefix(*value);
      break;
    default:  // groups, which have been deprecated for longer than OTLP exists
      break;
  }
  if (!value) return fail();
  field.value = *value;
  return field;
}

double as_double(std::uint64_t fixed64) { return std::bit_cast<double>(fixed64); }

void append_varint(std::string& out, std::uint32_t field, std::uint64_t value) {
  append_tag(out, field, WireType::varint);
  append_number(out, value);
}

void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  append_tag(out, field, WireType::bytes);
  append_number(out, bytes.size());
  out.append(bytes);
}

}  // namespace otlp::protobuf
