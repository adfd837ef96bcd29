// Finds the main text of a page.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "summarizer/tree.h"

namespace summarizer {

class Article {
 public:
  // Weighs every element by its prose and picks the smallest one that holds nearly all of it; linear in the tree.
  // `title` is the page's: a heading that repeats it is not part of the text. The tree must outlive the article.
  Article(const Tree&, std::string title);

  // The root of the text: the whole <body> if there is little prose or if it is scattered.
  const GumboNode& root() const { return *root_; }
  // True for elements below the root that are navigation, advertisement, a list of links, a byline, ...
  bool leaves_out(const GumboNode&) const;

 private:
  // In characters without white space; an ideograph counts as three.
  struct Weight {
    std::size_t text = 0;    // within the element
    std::size_t linked = 0;  // of that, within links
    int links = 0;
    double prose = 0;  // of its own and nested paragraphs
    int paragraphs = 0;
  };
  // Of an element, without the boilerplate in it.
  struct Prose {
    double weight = 0;
    int paragraphs = 0;
    double per_paragraph() const { return paragraphs == 0 ? 0 : weight / paragraphs; }
  };
  class Scale;

  const Weight& weight(const GumboNode&) const;
  bool is_set_aside(const GumboNode&, double whole) const;
  Prose without_furniture(const GumboNode&, int depth);
  Prose prose(const GumboNode&) const;
  const GumboNode* dominant_child(const GumboNode&) const;

  const std::string title_;
  std::unordered_map<const GumboNode*, Weight> weights_;
  std::unordered_map<const GumboNode*, Prose> prose_;
  const GumboNode* root_;
};

}  // namespace summarizer
