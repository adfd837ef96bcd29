// What Markdown has within a line: emphasis, code, links and pictures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace channels {

struct Span {
  enum class Kind { text, code, bold, italic, strike, link };
  Kind kind = Kind::text;
  std::string text;            // text and code
  std::string target;          // of links
  std::vector<Span> children;  // of all others
};

// Marks without an end are text.
std::vector<Span> parse_inline(std::string_view);
// Whether the target of a link is an address that people can open: http, https, mailto or tel.
bool is_web_address(std::string_view target);

}  // namespace channels
