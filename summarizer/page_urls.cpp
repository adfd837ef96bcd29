#include "summarizer/page_urls.h"

#include "summarizer/dom.h"

namespace summarizer {
namespace {

// The address of the first candidate of a srcset: "a.jpg 1x, b.jpg 2x" -> "a.jpg".
std::string_view first_candidate(std::string_view srcset) {
  const auto start = srcset.find_first_not_of(" \t\r\n\f,");
  if (start == srcset.npos) return {};
  srcset.remove_prefix(start);
  auto candidate = srcset.substr(0, srcset.find_first_of(" \t\r\n\f"));
  while (candidate.ends_with(',')) candidate.remove_suffix(1);
  return candidate;
}

std::optional<std::string> address_in_set(const GumboElement& element, const UrlResolver& urls) {
  for (const char* name : {"data-srcset", "data-lazy-srcset", "srcset"}) {
    if (auto src = urls.absolute(first_candidate(attribute(element, name)))) return src;
  }
  return std::nullopt;
}

}  // namespace

UrlResolver urls_of(const Tree& tree, std::string_view url) {
  UrlResolver urls(url);
  bool found = false;
  walk(tree.root(), [&](const GumboNode& node) {
    const auto* element = element_of(node);
    if (found || !element) return false;
    if (element->tag == GUMBO_TAG_BASE && has_attribute(*element, "href")) {
      found = true;
      urls.rebase(attribute(*element, "href"));
    }
    return !found;
  });
  return urls;
}

std::optional<std::string> image_address(const GumboNode& node, const UrlResolver& urls) {
  const auto& image = node.v.element;
  // Lazy pages keep the real address beside a placeholder.
  for (const char* name : {"data-src", "data-original", "data-lazy-src", "src"}) {
    if (auto src = urls.absolute(attribute(image, name))) return src;
  }
  if (auto src = address_in_set(image, urls)) return src;
  const auto* parent = node.parent ? element_of(*node.parent) : nullptr;
  if (!parent || !is_named(*parent, "picture")) return std::nullopt;
  for (const GumboNode* child : children_of(*parent)) {
    if (!is(*child, GUMBO_TAG_SOURCE)) continue;
    if (auto src = address_in_set(child->v.element, urls)) return src;
  }
  return std::nullopt;
}

}  // namespace summarizer
