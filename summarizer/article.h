// Finds the main text of a page.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "summarizer/tree.h"
#include "summarizer/weights.h"

namespace summarizer {

class Article {
 public:
  // Whether classes, ids and headings that are links mark elements as boilerplate.
  enum class Rules { all, tags_only };

  // Weighs every element by its prose, picks the smallest one that holds nearly all of it, and adds what belongs to the
  // text beside it: a lead below the page's heading, further parts of the same article. Linear in the tree. `title` is
  // the page's: a heading that repeats it is not part of the text. The tree must outlive the article.
  Article(const Tree&, std::string title, Rules rules = Rules::all);

  // The root of the text: the whole <body> if there is little prose or if it is scattered.
  const GumboNode& root() const { return *root_; }
  // True for elements below the root that are navigation, advertisement, a list of links, a byline, ..., or beside the
  // text.
  bool leaves_out(const GumboNode&) const;
  // There is some text besides boilerplate.
  bool has_prose() const;
  // Of an element that is left out: the heading above belongs to it, because it is a list of links.
  bool takes_heading(const GumboNode& node) const { return weights_[node].links >= 2; }

 private:
  // Of an element, without the boilerplate in it.
  struct Prose {
    double weight = 0;
    int paragraphs = 0;
    double per_paragraph() const { return paragraphs == 0 ? 0 : weight / paragraphs; }
  };

  void find_heading();
  void find_core();
  void find_frame();
  bool repeats_title(const GumboNode& heading) const;
  bool holds_heading(const GumboNode&) const;
  bool is_after_heading(const GumboNode&) const;

  bool is_set_aside(const GumboNode&, double whole) const;
  bool is_furniture_beside_text(const GumboNode&, const GumboElement&, double whole) const;
  bool is_furniture_after_text(const GumboNode&, const GumboElement&, double whole) const;
  bool is_teaser(const GumboNode&, const GumboElement&, double whole) const;
  bool is_beside_core(const GumboNode&) const;
  bool joins_core(const GumboNode&) const;
  bool is_list_of_links(const Weight&) const;
  bool is_left_out_by_tag(const GumboNode&, const GumboElement&) const;

  Prose without_furniture(const GumboNode&, int depth);
  Prose prose(const GumboNode&) const;
  const GumboNode* dominant_child(const GumboNode&) const;
  bool has_twin(const GumboNode&) const;

  const std::string title_;
  const Rules rules_;
  const GumboNode* const body_;
  const Weights weights_;
  std::unordered_map<const GumboNode*, Prose> prose_;
  const GumboNode* heading_ = nullptr;  // of the page, null if unknown
  bool heading_is_title_ = false;
  const GumboNode* core_;                       // holds nearly all prose
  const GumboNode* article_ = nullptr;          // the <article> or <main> around the core
  const GumboNode* root_;                       // holds the core and what belongs to it
  std::unordered_set<const GumboNode*> frame_;  // from the root down to above the core
};

}  // namespace summarizer
