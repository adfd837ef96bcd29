// A pull reader over the JSON of one stored record. It makes no tree and copies nothing but what the caller keeps:
// reading a record costs one pass over its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace store {

// Reads standard JSON, except that bytes of 0x80 and above are taken as they are: whatever text was written comes back.
// Every member function throws Corrupt, with the position, when the bytes are not what it is asked to read.
class JsonReader {
 public:
  // The bytes must outlive the reader.
  explicit JsonReader(std::string_view bytes) : bytes_(bytes), at_(bytes.data()), end_(at_ + bytes.size()) {}

  // Calls `on_field` with each name, which is valid until the reader is used again; on_field consumes the value.
  template <class OnField>
  void object(OnField on_field) {
    enter('{');
    if (!leave_empty('}')) do {
        const auto name = string();
        expect(':');
        on_field(name);
      } while (next('}'));
    --depth_;
  }
  // Calls `on_element`, which consumes one element, for each.
  template <class OnElement>
  void array(OnElement on_element) {
    enter('[');
    if (!leave_empty(']')) do {
        on_element();
      } while (next(']'));
    --depth_;
  }

  // Valid until the reader is used again.
  std::string_view string() {
    expect('"');
    const char* from = at_;
    while (at_ != end_ && is_plain[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ != end_ && *at_ == '"') return {from, static_cast<std::size_t>(at_++ - from)};
    return string_with_escapes(from);
  }
  std::int64_t int64();
  std::uint64_t uint64();
  double number();
  bool boolean();
  // Consumes `null` if that is what comes next.
  bool null();
  // Consumes any value and returns its bytes.
  std::string_view skip();
  // Nothing but white space is left.
  void finish();

  [[noreturn]] void fail(const char* what) const;

 private:
  static constexpr int deepest = 512;
  // What stands for itself within a string.
  static constexpr auto is_plain = [] {
    std::array<bool, 256> plain{};
    for (unsigned byte = 0x20; byte < 256; ++byte) plain[byte] = byte != '"' && byte != '\\';
    return plain;
  }();

  char peek() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ == end_ ? '\0' : *at_;
  }
  void expect(char wanted) {
    if (peek() != wanted || at_ == end_) fail("is not what should stand here");
    ++at_;
  }
  void enter(char opening) {
    expect(opening);
    if (++depth_ > deepest) fail("is nested too deeply");
  }
  bool leave_empty(char closing) {
    if (peek() != closing) return false;
    ++at_;
    return true;
  }
  bool next(char closing) {
    const char c = peek();
    if (c != ',' && c != closing) fail("is neither a comma nor an end");
    ++at_;
    return c == ',';
  }
  std::string_view string_with_escapes(const char* from);
  void escape();
  unsigned four_hex_digits();
  std::string_view number_text();
  void literal(std::string_view text);

  std::string_view bytes_;
  const char *at_, *end_;
  int depth_ = 0;
  std::string unescaped_;
};

// Appends `text` as a JSON string: quotes, backslashes and control characters escaped, everything else as it is.
void append_json_string(std::string& out, std::string_view text);

}  // namespace store
