// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace web {

// The code point at the start of `text`, which must not be empty, and how many bytes it takes.
// `length` 0: the bytes are not UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;
};
CodePoint decode_utf8(std::string_view text);

bool is_utf8(std::string_view text);

// How many code points, in what is UTF-8.
std::size_t count_characters(std::string_view text);

// The longest prefix of at most `bytes` bytes that does not cut a code point in two.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

}  // namespace web
