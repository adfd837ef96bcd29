// Weighs the elements of a page: how much text, links and prose each holds.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "summarizer/boilerplate.h"
#include "summarizer/tree.h"

namespace summarizer {

// A block shorter than this is a label, not prose, unless it is a sentence.
inline constexpr std::size_t shortest_prose = 25;

// Characters are counted without white space; an ideograph counts as three.
struct Weight {
  std::size_t text = 0;     // within the element
  std::size_t linked = 0;   // of that, within links
  std::size_t leading = 0;  // of that, within links to other pages
  std::size_t in_headings = 0;
  int links = 0;
  double prose = 0;  // of its own and nested paragraphs
  int paragraphs = 0;
  const GumboNode* heading = nullptr;  // the first of h2 to h6 within
  bool holds_article = false;          // an <article> or <main> within
  // In document order; everything within begins from `begin` to before `end`.
  unsigned begin = 0, end = 0;
  Names names;
};

class Weights {
 public:
  // One walk, linear in the tree. The tree must outlive the weights.
  explicit Weights(const GumboNode& body);

  // All zero for text, hidden elements and elements of other languages than HTML.
  const Weight& operator[](const GumboNode&) const;
  // h1 to h3 with text, in order.
  const std::vector<const GumboNode*>& headings() const { return headings_; }

  bool holds(const GumboNode& outer, const GumboNode& inner) const {
    return (*this)[outer].begin <= (*this)[inner].begin && (*this)[inner].begin < (*this)[outer].end;
  }

 private:
  class Scale;

  std::unordered_map<const GumboNode*, Weight> weights_;
  std::vector<const GumboNode*> headings_;
};

bool is_heading(const GumboNode&);

}  // namespace summarizer
