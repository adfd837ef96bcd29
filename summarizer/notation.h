// Superscripts, subscripts and formulas written as text, so that 10<sup>6</sup> does not become 106. Everything here is
// markup's text: character references are neither resolved nor made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "summarizer/scanner.h"

namespace summarizer {

// How the content of a <sup> or <sub> is written.
enum class Script {
  plain,    // as it is: "1st", "[3]", "TM"
  digits,   // with Unicode's raised or lowered digits: 10⁶, H₂O
  marked,   // after ^ or _: x^n, T_max
  grouped,  // the same in parentheses: x^(n+1)
};

// For the content of the element `name` ("sup", "sub"), which starts at `after`. `before` is the character before the
// element, a space for none. Reads at most 200 bytes.
Script script_of(std::string_view after, std::string_view name, char before);
// The digits and signs of `text` raised or lowered; other characters are kept.
std::string as_script_digits(std::string_view text, bool is_raised);

// One <math> element.
class Formula {
 public:
  void start(const Token&);
  void text(std::string_view);
  void end(std::string_view name);
  // The TeX of its annotation if it has one. Else empty, and take_text() has the formula in a line: "(a+b)/2", "x_i^2".
  std::string take_tex();
  std::string take_text();

 private:
  struct Node {
    std::string name;
    bool is_tex = false;
    std::vector<std::string> parts;
  };
  void close_top();

  std::vector<Node> open_;
  std::size_t too_deep_ = 0;
  std::size_t bytes_ = 0;
  std::string tex_, text_;
};

// TeX without the wrapping that Wikipedia adds, between dollar signs; empty for empty TeX.
std::string between_dollars(std::string_view tex);

}  // namespace summarizer
