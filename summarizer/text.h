// Visible text: white space collapsed, lengths in characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace summarizer {

// U+FFFD.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// A letter, a digit, or a byte of a character beyond ASCII.
constexpr bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// Says where a word may be divided; not part of it.
inline constexpr char32_t soft_hyphen = 0xad;

// Unicode's White_Space, and zero-width characters.
bool is_white_space(char32_t);

// Without ASCII white space at both ends.
std::string_view trimmed(std::string_view text);

// Text that arrives in pieces. Runs of white space (Unicode's too) become one space; none at either end.
class CollapsedText {
 public:
  // Stops taking text beyond `max_characters`.
  explicit CollapsedText(std::size_t max_characters) : max_characters_(max_characters) {}

  void add(std::string_view utf8);
  // A boundary between blocks or lines.
  void add_break() { space_pending_ = !text_.empty(); }
  bool full() const { return characters_ >= max_characters_; }
  std::string take() { return std::move(text_); }

 private:
  const std::size_t max_characters_;
  std::size_t characters_ = 0;
  bool space_pending_ = false;
  std::string text_;
};

// Words between white space, also when they arrive in pieces.
class WordCount {
 public:
  void add(std::string_view utf8);
  void add_break() { in_word_ = false; }
  std::int64_t words() const { return words_; }

 private:
  std::int64_t words_ = 0;
  bool in_word_ = false;
};

std::string collapsed(std::string_view utf8, std::size_t max_characters = std::string::npos);

}  // namespace summarizer
