#include "summarizer/dom.h"

#include <algorithm>

#include "summarizer/text.h"
#include "summarizer/visibility.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

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
  if (is_unread(element.tag)) return true;
  if (is_named(element, "dialog") && !has_attribute(element, "open")) return true;
  if (element.attributes.length == 0) return false;
  return has_attribute(element, "hidden") || hides(attribute(element, "style"));
}

bool breaks_text(const GumboElement& element) {
  return element.tag == GUMBO_TAG_UNKNOWN ? is_named(element, "dialog") : breaks_text(element.tag);
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
