#include "summarizer/dom.h"

#include <algorithm>
#include <array>

#include "summarizer/text.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

// True when a style attribute sets `property` to `value`; good enough for what generators of pages write.
bool style_says(std::string_view style, std::string_view property, std::string_view value) {
  while (!style.empty()) {
    const auto declaration = style.substr(0, style.find(';'));
    style.remove_prefix(std::min(declaration.size() + 1, style.size()));
    const auto colon = declaration.find(':');
    if (colon == declaration.npos) continue;
    if (web::equal_ignoring_case(web::trim(declaration.substr(0, colon)), property) &&
        web::starts_ignoring_case(web::trim(declaration.substr(colon + 1)), value)) {
      return true;
    }
  }
  return false;
}

template <class Begin, class End>
void walk_text(const GumboNode& node, Begin&& begin, End&& end, int depth = 0) {
  if (!begin(node) || depth == max_walk_depth) return;
  if (const auto* element = element_of(node)) {
    for (const GumboNode* child : children_of(*element)) walk_text(*child, begin, end, depth + 1);
    end(*element);
  }
}

}  // namespace

const GumboElement* element_of(const GumboNode& node) {
  return node.type == GUMBO_NODE_ELEMENT && node.v.element.tag_namespace == GUMBO_NAMESPACE_HTML ? &node.v.element
                                                                                                 : nullptr;
}

bool is(const GumboNode& node, GumboTag tag) {
  const auto* element = element_of(node);
  return element && element->tag == tag;
}

bool is_named(const GumboElement& element, std::string_view name) {
  if (element.tag != GUMBO_TAG_UNKNOWN) return false;
  GumboStringPiece original = element.original_tag;
  gumbo_tag_from_original_text(&original);
  return original.data && web::equal_ignoring_case({original.data, original.length}, name);
}

std::span<GumboNode* const> children_of(const GumboElement& element) {
  return {reinterpret_cast<GumboNode* const*>(element.children.data), element.children.length};
}

std::string_view text_of(const GumboNode& node) {
  const bool text = node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE || node.type == GUMBO_NODE_CDATA;
  return text ? std::string_view(node.v.text.text) : std::string_view();
}

std::string_view attribute(const GumboElement& element, const char* name) {
  const auto* found = gumbo_get_attribute(&element.attributes, name);
  return found ? std::string_view(found->value) : std::string_view();
}

bool has_attribute(const GumboElement& element, const char* name) {
  return gumbo_get_attribute(&element.attributes, name) != nullptr;
}

bool is_unread(const GumboElement& element) {
  switch (element.tag) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_RP:  // parentheses for browsers without ruby
      return true;
    case GUMBO_TAG_UNKNOWN:
      if (is_named(element, "dialog") && !has_attribute(element, "open")) return true;
      break;
    default:
      break;
  }
  if (element.attributes.length == 0) return false;
  if (has_attribute(element, "hidden")) return true;
  const auto style = attribute(element, "style");
  return !style.empty() && (style_says(style, "display", "none") || style_says(style, "visibility", "hidden"));
}

bool breaks_text(const GumboElement& element) {
  switch (element.tag) {
    case GUMBO_TAG_A:
    case GUMBO_TAG_ABBR:
    case GUMBO_TAG_B:
    case GUMBO_TAG_BDI:
    case GUMBO_TAG_BDO:
    case GUMBO_TAG_BIG:
    case GUMBO_TAG_CITE:
    case GUMBO_TAG_CODE:
    case GUMBO_TAG_DATA:
    case GUMBO_TAG_DFN:
    case GUMBO_TAG_DEL:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_I:
    case GUMBO_TAG_INS:
    case GUMBO_TAG_KBD:
    case GUMBO_TAG_MARK:
    case GUMBO_TAG_NOBR:
    case GUMBO_TAG_Q:
    case GUMBO_TAG_RUBY:
    case GUMBO_TAG_S:
    case GUMBO_TAG_SAMP:
    case GUMBO_TAG_SMALL:
    case GUMBO_TAG_SPAN:
    case GUMBO_TAG_STRIKE:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_SUB:
    case GUMBO_TAG_SUP:
    case GUMBO_TAG_TIME:
    case GUMBO_TAG_TT:
    case GUMBO_TAG_U:
    case GUMBO_TAG_VAR:
    case GUMBO_TAG_WBR:
      return false;
    case GUMBO_TAG_UNKNOWN:
      return is_named(element, "dialog");
    default:
      return true;
  }
}

std::string readable_text(const GumboNode& node, std::size_t max_characters) {
  CollapsedText text(max_characters);
  walk_text(
      node,
      [&text](const GumboNode& inner) {
        if (text.full()) return false;
        const auto* element = element_of(inner);
        if (!element) {
          text.add(text_of(inner));
          return false;
        }
        if (is_unread(*element)) return false;
        if (breaks_text(*element)) text.add_break();
        return true;
      },
      [&text](const GumboElement& element) {
        if (breaks_text(element)) text.add_break();
      });
  return text.take();
}

}  // namespace summarizer
