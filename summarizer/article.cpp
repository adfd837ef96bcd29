#include "summarizer/article.h"

#include <algorithm>

#include "summarizer/boilerplate.h"
#include "summarizer/dom.h"
#include "summarizer/text.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

// A block shorter than this is a label, not prose, unless it is a sentence.
constexpr std::size_t shortest_prose = 25;
// Text without the end of a sentence: lists, captions, tables.
constexpr double unpunctuated = 0.4;
// The share of the prose that a child must hold for the search to descend into it. A smaller share suffices if the page
// marks it as the text, or if the paragraphs beside it are much shorter (comments, teasers).
constexpr double nearly_all = 0.9, most = 0.6, shorter = 0.5;
// Boilerplate by name alone never holds more than this share of the page's prose; otherwise the name is that of the
// whole layout.
constexpr double furniture_share = 0.4;
constexpr std::size_t longest_byline = 120, longest_label = 250;
constexpr double link_list = 0.5;

bool ends_sentence(char32_t c) {
  return c == '.' || c == '!' || c == '?' || c == 0x2026 || c == 0x3002 || c == 0xff01 || c == 0xff1f || c == 0x61f ||
         c == 0x6d4 || c == 0x964;
}

// Text outside of any nested block.
struct Block {
  std::size_t text = 0, linked = 0;
  bool prose = false;

  double weight() const {
    if (text < shortest_prose && !(prose && text >= shortest_prose / 2)) return 0;
    const double unlinked = double(text) - 2 * double(linked);
    return std::max(unlinked, 0.0) * (prose ? 1 : unpunctuated);
  }
};

bool is_heading(GumboTag tag) { return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6; }

// Elements that group blocks; the search for the root goes through these alone.
bool is_container(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_MAIN:
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

const GumboNode& body_of(const Tree& tree) {
  for (const GumboNode* child : children_of(tree.root().v.element)) {
    if (is(*child, GUMBO_TAG_BODY)) return *child;
  }
  return tree.root();
}

bool is_within_article(const GumboNode& node) {
  for (const auto* above = node.parent; above; above = above->parent) {
    if (is(*above, GUMBO_TAG_ARTICLE) || is(*above, GUMBO_TAG_MAIN)) return true;
  }
  return false;
}

// The title as in a heading, or with the site's name before or after it.
bool repeats_title(std::string_view heading, std::string_view title) {
  // The self-link at the end of some headings.
  for (std::string_view mark : {"#", "\xC2\xB6"}) {
    if (heading.ends_with(mark)) heading = trimmed(heading.substr(0, heading.size() - mark.size()));
  }
  if (heading.empty() || title.size() < heading.size()) return false;
  return web::starts_ignoring_case(title, heading) ||
         web::equal_ignoring_case(title.substr(title.size() - heading.size()), heading);
}

}  // namespace

// Fills weights_ in one walk.
class Article::Scale {
 public:
  explicit Scale(std::unordered_map<const GumboNode*, Weight>& weights) : weights_(weights) {}

  Weight weigh(const GumboNode& node, Block& block, bool in_link, int depth) {
    const auto* element = element_of(node);
    if (!element) return weigh_text(text_of(node), block, in_link);
    if (is_unread(*element) || depth == max_walk_depth) return {};
    const bool link = element->tag == GUMBO_TAG_A && has_attribute(*element, "href");
    const bool apart = breaks_text(*element) && element->tag != GUMBO_TAG_BR;
    Block own;
    Block& target = apart ? own : block;
    Weight sum{.links = link ? 1 : 0};
    for (const GumboNode* child : children_of(*element)) {
      const auto part = weigh(*child, target, in_link || link, depth + 1);
      sum.text += part.text;
      sum.linked += part.linked;
      sum.links += part.links;
      sum.prose += part.prose;
      sum.paragraphs += part.paragraphs;
    }
    if (const double weight = apart && !is_heading(element->tag) ? own.weight() : 0; weight > 0) {
      sum.prose += weight;
      ++sum.paragraphs;
    }
    return weights_[&node] = sum;
  }

 private:
  static Weight weigh_text(std::string_view utf8, Block& block, bool in_link) {
    Weight sum;
    while (!utf8.empty()) {
      const auto point = web::decode_utf8(utf8);
      utf8.remove_prefix(std::max<std::size_t>(point.length, 1));
      if (is_white_space(point.value)) continue;
      sum.text += point.value >= 0x2e80 && point.value < 0x1f000 ? 3 : 1;
      if (ends_sentence(point.value) && block.text + sum.text >= shortest_prose / 2) block.prose = true;
    }
    if (in_link) sum.linked = sum.text;
    block.text += sum.text;
    block.linked += sum.linked;
    return sum;
  }

  std::unordered_map<const GumboNode*, Weight>& weights_;
};

Article::Article(const Tree& tree, std::string title) : title_(std::move(title)), root_(&body_of(tree)) {
  Block outside;
  Scale(weights_).weigh(*root_, outside, false, 0);
  without_furniture(*root_, 0);
  while (const auto* child = dominant_child(*root_)) root_ = child;
}

const Article::Weight& Article::weight(const GumboNode& node) const {
  static const Weight nothing;
  const auto found = weights_.find(&node);
  return found == weights_.end() ? nothing : found->second;
}

// Boilerplate by its tag, or by its name unless it holds a large share of `whole`.
bool Article::is_set_aside(const GumboNode& node, double whole) const {
  const auto* element = element_of(node);
  if (!element) return false;
  if (is_unread(*element) || is_furniture(*element)) return true;
  const bool furniture =
      is_named_like_furniture(*element) || (element->tag == GUMBO_TAG_HEADER && !is_within_article(node));
  if (furniture && weight(node).prose < furniture_share * whole) return true;
  return breaks_text(*element) && weight(node).text > 0 && weight(node).text <= longest_label &&
         reads_like_furniture(readable_text(node, 2 * longest_label));
}

Article::Prose Article::without_furniture(const GumboNode& node, int depth) {
  const auto* element = element_of(node);
  const double whole = weight(*root_).prose;
  if (!element || depth == max_walk_depth || (&node != root_ && is_set_aside(node, whole))) return {};
  // Its own share, without its children's.
  Prose sum{.weight = weight(node).prose, .paragraphs = weight(node).paragraphs};
  for (const GumboNode* child : children_of(*element)) {
    const auto part = without_furniture(*child, depth + 1);
    sum.weight += part.weight - weight(*child).prose;
    sum.paragraphs += part.paragraphs - weight(*child).paragraphs;
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
    if (part.weight < most * whole.weight) continue;
    if (is_named_like_content(*element) || rest.per_paragraph() < shorter * part.per_paragraph()) return child;
  }
  return nullptr;
}

bool Article::leaves_out(const GumboNode& node) const {
  const auto* element = element_of(node);
  if (!element) return false;
  if (is_set_aside(node, weight(*root_).prose)) return true;
  const Weight& weighed = weight(node);
  if (is_named_like_byline(*element) && weighed.text <= longest_byline) {
    return breaks_text(*element) || element->tag == GUMBO_TAG_ADDRESS;
  }
  switch (element->tag) {
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
      return repeats_title(readable_text(node, 1'000), title_);
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_HGROUP:
      return weighed.prose == 0;
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_TD:
      if (weighed.links >= 3 && double(weighed.linked) >= link_list * double(weighed.text)) return true;
      break;
    default:
      break;
  }
  return false;
}

}  // namespace summarizer
