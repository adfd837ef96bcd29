// The part of the Protocol Buffers encoding that OTLP needs: reading the fields of one message in turn, and writing a
// few. A library would be a compiler, a code generator and generated sources for seven small messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace otlp::protobuf {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;  // of numbers
  std::string_view bytes;   // strings, bytes and messages

  bool is(std::uint32_t wanted, WireType wanted_type) const { return number == wanted && type == wanted_type; }
  bool is_message(std::uint32_t wanted) const { return is(wanted, WireType::bytes); }
};

// Reads a message; its bytes must outlive the fields.
class Message {
 public:
  explicit Message(std::string_view bytes) : left_(bytes) {}
  // Nothing at the end, and for a malformed message: see is_valid().
  std::optional<Field> next();
  bool is_valid() const { return is_valid_; }

 private:
  std::optional<std::uint64_t> varint();
  std::optional<std::uint64_t> fixed(std::size_t bytes);
  std::optional<Field> fail();

  std::string_view left_;
  bool is_valid_ = true;
};

double as_double(std::uint64_t fixed64);

void append_varint(std::string& out, std::uint32_t field, std::uint64_t value);
void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes);

}  // namespace otlp::protobuf
