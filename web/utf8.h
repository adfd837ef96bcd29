// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace web {

// The code point at the start of `text`, which must not be empty, and its length in bytes. `length` 0: not UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;
};
CodePoint decode_utf8(std::string_view text);

bool is_utf8(std::string_view text);

// The number of code points in valid UTF-8.
std::size_t count_characters(std::string_view text);

// The longest prefix of at most `bytes` bytes that does not split a code point.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

// What a text is called in a list: its first line without white space around it. A line of more than `bytes` bytes ends
// with "…" (three bytes, among them), between two words where there is one to end with.
std::string headline(std::string_view text, std::size_t bytes);

}  // namespace web
