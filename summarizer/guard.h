// Stands between a page and gumbo, whose time and stack grow without bound on hostile markup (deep nesting, unclosed
// formatting, attributes without end).
#pragma once

#include <gumbo.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "summarizer/scanner.h"

namespace summarizer {

struct Caps {
  std::size_t bytes = 10u << 20;  // of the page, and of what the guard writes
  std::size_t tags = 200'000;
  std::size_t depth = 256;
  std::size_t attributes = 64;              // of one tag
  std::size_t attribute_value = 16u << 10;  // bytes; longer attributes are left out
};

// What the guard lets through, as it comes.
class Sink {
 public:
  virtual ~Sink() = default;
  // What is opened is closed, the last first; but for html, head, body and what has no content, which are not closed.
  virtual void start(GumboTag, const Token&) = 0;
  virtual void end(GumboTag, std::string_view name) = 0;
  virtual void text(std::string_view) = 0;  // character references as they stand
  // The guard stops when this is beyond its cap of bytes.
  virtual std::size_t size() const = 0;
};

// Elements that are never closed.
bool is_left_open(GumboTag);

// In one linear pass, within the caps: what lies beyond them is left out, text within an over-deep element is kept.
// Scripts, styles, comments, templates, foreign content (svg, math) and the text of <noscript> are gone. `html` must be
// valid UTF-8.
void guard(std::string_view html, Sink& sink, const Caps& caps = {});

// The same as markup, for gumbo.
std::string guarded(std::string_view html, const Caps& caps = {});

}  // namespace summarizer
