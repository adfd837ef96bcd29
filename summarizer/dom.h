// Helpers for gumbo's tree.
#pragma once

#include <gumbo.h>

#include <span>
#include <string>
#include <string_view>

namespace summarizer {

// Deeper nodes are ignored; the guard produces none.
inline constexpr int max_walk_depth = 1'000;

// Null unless the node is an HTML element.
const GumboElement* element_of(const GumboNode& node);
bool is(const GumboNode& node, GumboTag tag);
// An element without a tag in gumbo, because it is newer: "dialog", "picture".
bool is_named(const GumboElement& element, std::string_view name);
std::span<GumboNode* const> children_of(const GumboElement& element);
// Empty for nodes other than text.
std::string_view text_of(const GumboNode& node);
// Empty when absent; `has_attribute` tells the difference.
std::string_view attribute(const GumboElement& element, const char* name);
bool has_attribute(const GumboElement& element, const char* name);

// Its content is not shown: hidden, not meant for readers, or part of a form.
bool is_unread(const GumboElement& element);
// A block: its text is separate from the text around it.
bool breaks_text(const GumboElement& element);

// Calls `visit(node)` for the node and everything within it, in document order; if it returns false, the node's
// children are skipped.
template <class Visit>
void walk(const GumboNode& node, Visit&& visit, int depth = 0) {
  if (!visit(node) || depth == max_walk_depth) return;
  if (const auto* element = element_of(node)) {
    for (const GumboNode* child : children_of(*element)) walk(*child, visit, depth + 1);
  }
}

// The readable text of the node, white space collapsed, at most `max_characters` of it.
std::string readable_text(const GumboNode& node, std::size_t max_characters);

}  // namespace summarizer
