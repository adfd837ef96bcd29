#include "summarizer/weights.h"

#include <algorithm>
#include <string_view>

#include "summarizer/text.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

// Text without the end of a sentence: lists, captions, tables.
constexpr double unpunctuated = 0.4;

bool ends_sentence(char32_t c) {
  return c == '.' || c == '!' || c == '?' || c == 0x2026 || c == 0x3002 || c == 0xff01 || c == 0xff1f || c == 0x61f ||
         c == 0x6d4 || c == 0x964;
}

// Text outside of any nested block.
struct BlockText {
  std::size_t text = 0, linked = 0;
  bool prose = false;

  double weight() const {
    if (text < shortest_prose && !(prose && text >= shortest_prose / 2)) return 0;
    const double unlinked = double(text) - 2 * double(linked);
    return std::max(unlinked, 0.0) * (prose ? 1 : unpunctuated);
  }
};

enum class LinkKind { none, within_page, elsewhere };

LinkKind link_of(const GumboElement& element) {
  if (element.tag != GUMBO_TAG_A || !has_attribute(element, "href")) return LinkKind::none;
  return attribute(element, "href").starts_with('#') ? LinkKind::within_page : LinkKind::elsewhere;
}

}  // namespace

bool is_heading(const GumboNode& node) {
  const auto* element = element_of(node);
  return element && element->tag >= GUMBO_TAG_H1 && element->tag <= GUMBO_TAG_H6;
}

class Weights::Scale {
 public:
  explicit Scale(Weights& all) : all_(all) {}

  Weight weigh(const GumboNode& node, BlockText& block, LinkKind around, int depth) {
    const auto* element = element_of(node);
    if (!element) return weigh_text(text_of(node), block, around);
    if (is_unread(*element) || depth == max_walk_depth) return {};
    const LinkKind link = link_of(*element);
    const bool apart = breaks_text(*element) && element->tag != GUMBO_TAG_BR;
    BlockText own;
    BlockText& target = apart ? own : block;
    Weight sum{.links = link == LinkKind::none ? 0 : 1, .begin = next_++, .names = names_of(*element)};
    for (const GumboNode* child : children_of(*element))
      add(weigh(*child, target, std::max(around, link), depth + 1), *child, sum);
    if (const double weight = apart && !is_heading(node) ? own.weight() : 0; weight > 0) {
      sum.prose += weight;
      ++sum.paragraphs;
    }
    if (is_heading(node)) {
      sum.in_headings = sum.text;
      if (sum.text > 0 && element->tag <= GUMBO_TAG_H3) all_.headings_.push_back(&node);
    }
    sum.end = next_;
    return all_.weights_[&node] = sum;
  }

 private:
  static void add(const Weight& part, const GumboNode& child, Weight& sum) {
    sum.text += part.text;
    sum.linked += part.linked;
    sum.leading += part.leading;
    sum.in_headings += part.in_headings;
    sum.links += part.links;
    sum.prose += part.prose;
    sum.paragraphs += part.paragraphs;
    const bool is_seen = part.end > 0;
    if (!sum.heading && is_seen) sum.heading = is_heading(child) && !is(child, GUMBO_TAG_H1) ? &child : part.heading;
    sum.holds_article = sum.holds_article || part.holds_article ||
                        (is_seen && (is(child, GUMBO_TAG_ARTICLE) || is(child, GUMBO_TAG_MAIN)));
  }

  static Weight weigh_text(std::string_view utf8, BlockText& block, LinkKind around) {
    Weight sum;
    while (!utf8.empty()) {
      const auto point = web::decode_utf8(utf8);
      utf8.remove_prefix(std::max<std::size_t>(point.length, 1));
      if (is_white_space(point.value) || point.value == soft_hyphen) continue;
      sum.text += point.value >= 0x2e80 && point.value < 0x1f000 ? 3 : 1;
      if (ends_sentence(point.value) && block.text + sum.text >= shortest_prose / 2) block.prose = true;
    }
    if (around != LinkKind::none) sum.linked = sum.text;
    if (around == LinkKind::elsewhere) sum.leading = sum.text;
    block.text += sum.text;
    block.linked += sum.linked;
    return sum;
  }

  Weights& all_;
  unsigned next_ = 0;
};

Weights::Weights(const GumboNode& body) {
  BlockText outside;
  Scale(*this).weigh(body, outside, LinkKind::none, 0);
}

const Weight& Weights::operator[](const GumboNode& node) const {
  static const Weight nothing;
  const auto found = weights_.find(&node);
  return found == weights_.end() ? nothing : found->second;
}

}  // namespace summarizer
