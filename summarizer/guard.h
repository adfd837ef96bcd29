// Stands between a page and gumbo, whose time and stack grow without bound on hostile markup (deep nesting, unclosed
// formatting, attributes without end).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace summarizer {

struct Caps {
  std::size_t bytes = 10u << 20;  // of the page, and of what the guard writes
  std::size_t tags = 200'000;
  std::size_t depth = 256;
  std::size_t attributes = 64;              // of one tag
  std::size_t attribute_value = 16u << 10;  // bytes; longer attributes are left out
};

// The page again, in one linear pass, as markup that closes every element it opens in order, within the caps: what lies
// beyond them is left out, text within an over-deep element is kept. Scripts, styles, comments, templates, foreign
// content (svg, math) and the text of <noscript> are gone. `html` must be valid UTF-8.
std::string guarded(std::string_view html, const Caps& caps = {});

}  // namespace summarizer
