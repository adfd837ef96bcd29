// Normalizes a page for gumbo, whose time and stack grow without bound on hostile markup (deep nesting, unclosed
// formatting, endless attributes).
#pragma once

#include <gumbo.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "summarizer/scanner.h"

namespace summarizer {

struct Caps {
  std::size_t bytes = 10u << 20;  // of the page, and of the guard's output
  std::size_t tags = 200'000;
  std::size_t depth = 256;
  std::size_t attributes = 64;              // of one tag
  std::size_t attribute_value = 16u << 10;  // bytes; longer attributes are left out
  bool has_noscript = false;                // the content of <noscript> is part of the page, as without scripts
};

// The element of a formula in TeX, between dollar signs, which the guard makes of <math> and of pictures of formulas.
// Pages cannot write it.
inline constexpr std::string_view tex_element = "tex";

// Receives the guard's output.
class Sink {
 public:
  virtual ~Sink() = default;
  // Elements are closed in reverse order, except html, head, body and void elements, which are not closed.
  virtual void start(GumboTag, const Token&) = 0;
  virtual void end(GumboTag, std::string_view name) = 0;
  virtual void text(std::string_view) = 0;  // with unresolved character references
  // The guard stops when this exceeds its byte limit.
  virtual std::size_t size() const = 0;
};

// Elements that are never closed.
bool is_left_open(GumboTag);

// One linear pass within the limits: content beyond them is dropped, but text in elements that are too deep is kept.
// Scripts, styles, comments, templates, pictures (svg) and the text of <noscript> are dropped. A template that is a
// shadow root is part of the page. Formulas, superscripts and subscripts become text (notation.h). `html` must be valid
// UTF-8.
void guard(std::string_view html, Sink& sink, const Caps& caps = {});

// The same as markup, for gumbo.
std::string guarded(std::string_view html, const Caps& caps = {});

}  // namespace summarizer
