#include "summarizer/article.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "summarizer/dom.h"
#include "summarizer/text.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

// The share of the prose that a child must hold for the search to descend into it. A smaller share suffices if the page
// marks it as the text, or if the paragraphs beside it are much shorter (comments, teasers).
constexpr double nearly_all = 0.9, majority = 0.6, shorter = 0.5;
// An element that looks like the dominant one and holds at least this share is another part of the text.
constexpr double twin_share = 0.03;
// Boilerplate by name never holds more than this share of the page's prose; otherwise the name is that of the whole
// layout. A name of the main text beside it counts from a smaller share.
constexpr double furniture_share = 0.4, content_share = 0.15, teaser_share = 0.25;
// Prose of furniture that never holds any, of a teaser, of the least text that comments stand below, of a lead.
constexpr double small_prose = 300, teaser_prose = 500, least_text = 80, least_lead = 50;
constexpr std::size_t longest_byline = 120, longest_author = 700, longest_label = 250, longest_heading = 1'000;
// Shares of linked text: of a list of links, of a lead at most, of a heading that is a link.
constexpr double link_list = 0.5, nothing_but_links = 0.9, linked_lead = 0.3, linked_part = 0.2, linked_heading = 0.8;
// A heading that repeats less of the title is perhaps the site's name.
constexpr double title_share = 0.35;

// Elements that group blocks; the search for the core goes through these alone.
bool is_container(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_TBODY:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_SPAN:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_UNKNOWN:
      return true;
    default:
      return false;
  }
}

// Elements that a teaser of another page may be.
bool is_card(GumboTag tag) {
  return tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_LI || tag == GUMBO_TAG_SECTION || tag == GUMBO_TAG_ARTICLE ||
         tag == GUMBO_TAG_TD || tag == GUMBO_TAG_FIGURE;
}

const GumboNode& body_of(const Tree& tree) {
  for (const GumboNode* child : children_of(tree.root().v.element)) {
    if (is(*child, GUMBO_TAG_BODY)) return *child;
  }
  return tree.root();
}

const GumboNode* article_around(const GumboNode* node) {
  for (; node; node = node->parent) {
    if (is(*node, GUMBO_TAG_ARTICLE) || is(*node, GUMBO_TAG_MAIN)) return node;
  }
  return nullptr;
}

bool is_within_article(const GumboNode& node) { return article_around(node.parent) != nullptr; }

bool look_alike(const GumboNode& one, const GumboNode& other) {
  const auto *a = element_of(one), *b = element_of(other);
  return a && b && a->tag == b->tag && attribute(*a, "class") == attribute(*b, "class");
}

}  // namespace

Article::Article(const Tree& tree, std::string title, Rules rules)
    : title_(std::move(title)), rules_(rules), body_(&body_of(tree)), weights_(*body_), core_(body_), root_(body_) {
  find_heading();
  find_core();
  find_frame();
}

// The heading that repeats most of the title, else the only one of the first order.
void Article::find_heading() {
  std::size_t longest = 0;
  std::vector<const GumboNode*> first_order;
  for (const auto* each : weights_.headings()) {
    if (is(*each, GUMBO_TAG_H1)) first_order.push_back(each);
    if (weights_[*each].text <= longest || !repeats_title(*each)) continue;
    longest = weights_[*each].text;
    heading_ = each;
  }
  heading_is_title_ =
      heading_ && double(readable_text(*heading_, longest_heading).size()) >= title_share * double(title_.size());
  if (heading_is_title_) return;
  if (first_order.size() == 1) heading_ = first_order.front();
  // The site's name, beside a heading that the title does not repeat.
  if (first_order.size() > 1 && heading_ && is(*heading_, GUMBO_TAG_H1))
    heading_ = first_order[first_order[0] == heading_ ? 1 : 0];
}

void Article::find_core() {
  without_furniture(*body_, 0);
  while (const auto* child = dominant_child(*core_)) core_ = child;
}

// The smallest element that holds the core and the page's heading above it, or the article around the core.
void Article::find_frame() {
  article_ = article_around(core_);
  root_ = core_;
  if (core_ == body_) return;
  const bool heading_is_above = heading_ && weights_[*heading_].begin < weights_[*core_].begin;
  const auto* wanted = core_;
  while (wanted && wanted != body_ && !(heading_is_above ? weights_.holds(*wanted, *heading_) : wanted == article_)) {
    wanted = wanted->parent;
  }
  if (!wanted || wanted == body_) return;
  root_ = wanted;
  for (const auto* node = core_; node != root_;) frame_.insert(node = node->parent);
}

// The title as in a heading, or with the site's name before or after it.
bool Article::repeats_title(const GumboNode& heading) const {
  const std::string whole = readable_text(heading, longest_heading);
  std::string_view text = whole;
  // The self-link at the end of some headings.
  for (std::string_view mark : {"#", "\xC2\xB6"}) {
    if (text.ends_with(mark)) text = trimmed(text.substr(0, text.size() - mark.size()));
  }
  if (text.empty() || title_.size() < text.size()) return false;
  return web::starts_ignoring_case(title_, text) ||
         web::equal_ignoring_case(std::string_view(title_).substr(title_.size() - text.size()), text);
}

bool Article::holds_heading(const GumboNode& node) const { return heading_ && weights_.holds(node, *heading_); }

bool Article::is_after_heading(const GumboNode& node) const {
  return heading_ && !holds_heading(node) && weights_[*heading_].begin < weights_[node].begin;
}

bool Article::is_set_aside(const GumboNode& node, double whole) const {
  const auto* element = element_of(node);
  if (!element) return false;
  if (is_unread(*element) || is_furniture(*element)) return true;
  if (is_furniture_beside_text(node, *element, whole) || is_furniture_after_text(node, *element, whole) ||
      is_teaser(node, *element, whole)) {
    return true;
  }
  const auto& weighed = weights_[node];
  return breaks_text(*element) && weighed.text > 0 && weighed.text <= longest_label &&
         reads_like_furniture(readable_text(node, 2 * longest_label));
}

// Boilerplate by its tag or name, unless it holds a large share of `whole` or the page's title with some text.
bool Article::is_furniture_beside_text(const GumboNode& node, const GumboElement& element, double whole) const {
  const auto& weighed = weights_[node];
  const auto& names = weighed.names;
  if (weighed.prose > 0 && weighed.prose >= furniture_share * whole) return false;
  if (element.tag == GUMBO_TAG_HEADER && !is_within_article(node) && !holds_heading(node)) return true;
  const bool holds_text = weighed.prose > 0 && heading_is_title_ && holds_heading(node);
  if (is_usually_furniture(element)) return !holds_text;
  if (rules_ == Rules::tags_only) return false;
  const bool is_author =
      names.author && breaks_text(element) && weighed.text > longest_byline && weighed.text <= longest_author;
  if (is_author && !holds_heading(node)) return true;
  const bool is_content =
      (names.only_content && weighed.prose > content_share * whole) || (names.small && weighed.prose > small_prose);
  return names.furniture && !is_content && !holds_text;
}

// Comments, sidebars and footers below the page's heading, however long, if there is some text besides.
bool Article::is_furniture_after_text(const GumboNode& node, const GumboElement& element, double whole) const {
  const auto& weighed = weights_[node];
  if (!is_after_heading(node) || weighed.holds_article || whole - weighed.prose < least_text) return false;
  if (element.tag == GUMBO_TAG_ASIDE || element.tag == GUMBO_TAG_FOOTER) return true;
  if (!weighed.names.furniture || weighed.names.only_content) return false;
  if (weighed.names.comments) return true;
  return rules_ == Rules::all && weighed.names.beside_text && !is_within_article(node);
}

// Little text below a heading that leads to another page.
bool Article::is_teaser(const GumboNode& node, const GumboElement& element, double whole) const {
  if (rules_ == Rules::tags_only || !is_card(element.tag)) return false;
  const auto& weighed = weights_[node];
  if (!weighed.heading || weighed.prose >= teaser_prose || weighed.prose >= teaser_share * whole) return false;
  const auto& heading = weights_[*weighed.heading];
  return heading.text > 0 && double(heading.leading) >= linked_heading * double(heading.text) && !holds_heading(node) &&
         !repeats_title(*weighed.heading);
}

Article::Prose Article::without_furniture(const GumboNode& node, int depth) {
  const auto* element = element_of(node);
  const double whole = weights_[*body_].prose;
  if (!element || depth == max_walk_depth || (&node != body_ && is_set_aside(node, whole))) return {};
  // Its own share, without its children's.
  Prose sum{.weight = weights_[node].prose, .paragraphs = weights_[node].paragraphs};
  for (const GumboNode* child : children_of(*element)) {
    const auto part = without_furniture(*child, depth + 1);
    sum.weight += part.weight - weights_[*child].prose;
    sum.paragraphs += part.paragraphs - weights_[*child].paragraphs;
  }
  return prose_[&node] = sum;
}

Article::Prose Article::prose(const GumboNode& node) const {
  const auto found = prose_.find(&node);
  return found == prose_.end() ? Prose{} : found->second;
}

const GumboNode* Article::dominant_child(const GumboNode& node) const {
  const Prose whole = prose(node);
  if (whole.weight <= 0) return nullptr;
  for (const GumboNode* child : children_of(node.v.element)) {
    const auto* element = element_of(*child);
    if (!element || !is_container(element->tag)) continue;
    const Prose part = prose(*child);
    const Prose rest{.weight = whole.weight - part.weight, .paragraphs = whole.paragraphs - part.paragraphs};
    if (part.weight >= nearly_all * whole.weight) return child;
    if (part.weight < majority * whole.weight || has_twin(*child)) continue;
    if (is_marked_as_content(*element, weights_[*child].names) ||
        rest.per_paragraph() < shorter * part.per_paragraph()) {
      return child;
    }
  }
  return nullptr;
}

bool Article::has_twin(const GumboNode& node) const {
  const double least = twin_share * prose(*node.parent).weight;
  return std::ranges::any_of(children_of(node.parent->v.element), [&](const GumboNode* other) {
    return other != &node && look_alike(*other, node) && prose(*other).weight >= least;
  });
}

bool Article::has_prose() const { return prose(*body_).weight >= least_text; }

// Beside the core, below an element around it, and not joined to it; or above the page's heading.
bool Article::is_beside_core(const GumboNode& node) const {
  if (frame_.contains(&node) || &node == core_) return false;
  if (frame_.contains(node.parent) && !joins_core(node)) return true;
  const auto& weighed = weights_[node];
  return !frame_.empty() && heading_ && holds_heading(*root_) && weights_.holds(*root_, node) &&
         !weights_.holds(*core_, node) && weighed.end <= weights_[*heading_].begin;
}

// The lead between heading and core, or another part of the same article.
bool Article::joins_core(const GumboNode& node) const {
  const auto& weighed = weights_[node];
  const Prose own = prose(node);
  if (holds_heading(node) || (look_alike(node, *core_) && own.weight >= shortest_prose)) return true;
  const double linked = weighed.text == 0 ? 0 : double(weighed.linked) / double(weighed.text);
  if (own.weight < least_lead || linked > linked_lead) return false;
  if (weighed.begin < weights_[*core_].begin) return !heading_ || is_after_heading(node);
  return article_ && weights_.holds(*article_, node) && linked < linked_part &&
         own.per_paragraph() >= shorter * prose(*core_).per_paragraph();
}

bool Article::leaves_out(const GumboNode& node) const {
  const auto* element = element_of(node);
  if (!element) return false;
  if (is_set_aside(node, weights_[*root_].prose) || is_beside_core(node)) return true;
  const auto& weighed = weights_[node];
  if (is_marked_as_byline(*element, weighed.names) && weighed.text <= longest_byline) {
    return breaks_text(*element) || element->tag == GUMBO_TAG_ADDRESS;
  }
  return is_left_out_by_tag(node, *element);
}

// Unless it is the text itself, which then has something beside the links.
bool Article::is_list_of_links(const Weight& weighed) const {
  const auto linked = double(weighed.linked), text = double(weighed.text);
  const bool is_text = weighed.prose >= furniture_share * weights_[*root_].prose;
  return weighed.links >= 3 && linked >= (is_text ? nothing_but_links : link_list) * text;
}

bool Article::is_left_out_by_tag(const GumboNode& node, const GumboElement& element) const {
  const auto& weighed = weights_[node];
  switch (element.tag) {
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
      return repeats_title(node);
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_HGROUP:
      return weighed.prose == 0 && weighed.in_headings < weighed.text;
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_TD:
      return is_list_of_links(weighed);
    default:
      return false;
  }
}

}  // namespace summarizer
