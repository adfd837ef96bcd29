// A pull reader over the JSON of one stored record. It builds no tree and copies only what the caller keeps:
// reading a record takes one pass over its bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace store {

// Whether a character needs no escape within a string.
inline bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The first byte that is not plain, or `end`.
inline const char* end_of_plain(const char* from, const char* end) {
  using Word = std::uint64_t;
  constexpr Word each = 0x0101010101010101, high = 0x80 * each;
  // The high bit of the lowest byte that is below `bound` is set, and none below it.
  const auto below = [](Word bytes, Word bound) { return (bytes - bound * each) & ~bytes & high; };
  while (std::endian::native == std::endian::little && end - from >= std::ptrdiff_t{sizeof(Word)}) {
    Word bytes = 0;
    std::memcpy(&bytes, from, sizeof bytes);
    const Word found = below(bytes, 0x20) | below(bytes ^ ('"' * each), 1) | below(bytes ^ ('\\' * each), 1);
    if (found != 0) return from + std::countr_zero(found) / 8;
    from += sizeof bytes;
  }
  while (from != end && is_plain(*from)) ++from;
  return from;
}

// Reads standard JSON, except that bytes of 0x80 and above are not checked: text comes back as it was written.
// Every member function throws Corrupt, with the position, when the bytes are not of the requested type.
class JsonReader {
 public:
  // The bytes must outlive the reader.
  explicit JsonReader(std::string_view bytes) : bytes_(bytes), at_(bytes.data()), end_(at_ + bytes.size()) {}

  // Calls `on_field` with each name, which is valid until the reader is used again; on_field consumes the value.
  template <class OnField>
  void object(OnField on_field) {
    object([] { return std::string_view(); }, [] {}, std::move(on_field));
  }
  // `likely` returns the field that probably comes next, as "name": without escapes, or nothing. If it does come,
  // `on_likely` is called instead of parsing the name.
  template <class Likely, class OnLikely, class OnField>
  void object(Likely likely, OnLikely on_likely, OnField on_field) {
    enter('{');
    if (!leave_empty('}')) do {
        const std::string_view opening = likely();
        if (!opening.empty() && std::string_view(at_, end_).starts_with(opening)) {
          at_ += opening.size();
          on_likely();
        } else {
          const auto name = string();
          expect(':');
          on_field(name);
        }
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
    at_ = end_of_plain(from, end_);
    if (at_ != end_ && *at_ == '"') return {from, static_cast<std::size_t>(at_++ - from)};
    return string_with_escapes(from);
  }
  std::int64_t int64();
  std::uint64_t uint64();
  double number();
  bool boolean();
  // Consumes `null` if that is what comes next.
  bool null();
  // The first character of the next value, which is not consumed; NUL at the end.
  char first() { return peek(); }
  // Consumes a number and returns its text.
  std::string_view number_text();
  // Consumes any value and returns its bytes.
  std::string_view skip();
  // Nothing but white space is left.
  void finish();

  [[noreturn]] void fail(const char* what) const;

 private:
  static constexpr int deepest = 512;

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
  void literal(std::string_view text);

  std::string_view bytes_;
  const char *at_, *end_;
  int depth_ = 0;
  std::string unescaped_;
};

// Appends `text` as a JSON string: quotes, backslashes and control characters escaped, everything else as it is.
void append_json_string(std::string& out, std::string_view text);

}  // namespace store
