#include "summarizer/extract.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "summarizer/bounds.h"
#include "summarizer/dom.h"
#include "summarizer/page_urls.h"
#include "summarizer/text.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

constexpr std::size_t max_links = 50, max_images = 20;

// Name and content of the <meta> elements that describe the page, names in lower case; the first of a name counts.
boost::json::object described_by_meta(const GumboNode& root) {
  boost::json::object meta;
  walk(root, [&meta](const GumboNode& node) {
    const auto* element = element_of(node);
    if (!element || element->tag != GUMBO_TAG_META) return element != nullptr;
    for (const char* key : {"property", "name"})
      describe(meta, attribute(*element, key), attribute(*element, "content"));
    return false;
  });
  return meta;
}

std::string first_text(const GumboNode& root, GumboTag tag) {
  std::string text;
  walk(root, [&](const GumboNode& node) {
    if (!text.empty()) return false;
    const auto* element = element_of(node);
    if (!element) return false;
    if (element->tag == tag) {
      if (tag == GUMBO_TAG_TITLE) {
        for (const GumboNode* child : children_of(*element)) text += text_of(*child);
        text = collapsed(text, max_title);
      } else {
        text = readable_text(node, max_title);
      }
      return false;
    }
    return tag == GUMBO_TAG_TITLE || !is_unread(*element);
  });
  return text;
}

// Reads headings, paragraphs and words in one walk over the body.
class BodyReader {
 public:
  void read(const GumboNode& node, int depth = 0) {
    const auto* element = element_of(node);
    if (!element) return words_.add(text_of(node));
    if (is_unread(*element) || depth == max_walk_depth) return;
    switch (element->tag) {
      case GUMBO_TAG_H1:
      case GUMBO_TAG_H2:
      case GUMBO_TAG_H3:
        if (!headings_.full()) headings_.add(readable_text(node, max_title));
        break;
      case GUMBO_TAG_P:
        if (!paragraphs_.full()) paragraphs_.add(readable_text(node, max_paragraph));
        break;
      default:
        break;
    }
    const bool apart = breaks_text(*element);
    if (apart) words_.add_break();
    for (const GumboNode* child : children_of(*element)) read(*child, depth + 1);
    if (apart) words_.add_break();
  }
  void finish(Summary& summary) {
    summary.headings = headings_.take();
    summary.paragraphs = paragraphs_.take();
    summary.word_count = words_.words();
  }

 private:
  Distinct headings_{max_headings}, paragraphs_{max_paragraphs};
  WordCount words_;
};

class ReferenceReader {
 public:
  explicit ReferenceReader(UrlResolver urls) : urls_(std::move(urls)) {}

  void read(const GumboNode& root) {
    walk(root, [this](const GumboNode& node) {
      const auto* element = element_of(node);
      if (!element) return false;
      if (element->tag == GUMBO_TAG_A) add_link(node, *element);
      if (element->tag == GUMBO_TAG_IMG) add_image(node);
      return element->tag != GUMBO_TAG_TEMPLATE;
    });
  }

  References take(boost::json::object meta) {
    return {.links = std::move(links_), .images = std::move(images_), .meta = std::move(meta)};
  }

 private:
  void add_link(const GumboNode& node, const GumboElement& element) {
    auto href = urls_.absolute(attribute(element, "href"));
    if (!href) return;
    const auto known = link_at_.find(*href);
    if (known != link_at_.end()) {
      // A link may occur twice, around a picture and around text: the text counts.
      auto& text = links_[known->second].text;
      if (text.empty()) text = readable_text(node, max_label);
      return;
    }
    if (links_.size() == max_links) return;
    link_at_.emplace(*href, links_.size());
    links_.push_back({.href = std::move(*href), .text = readable_text(node, max_label)});
  }

  void add_image(const GumboNode& node) {
    if (images_.size() == max_images) return;
    auto src = image_address(node, urls_);
    if (!src || !seen_images_.insert(*src).second) return;
    images_.push_back({.src = std::move(*src), .alt = collapsed(attribute(node.v.element, "alt"), max_label)});
  }

  UrlResolver urls_;
  std::vector<Link> links_;
  std::unordered_map<std::string, std::size_t> link_at_;
  std::vector<Image> images_;
  std::unordered_set<std::string> seen_images_;
};

}  // namespace

Summary summarize(const Tree& tree) {
  const GumboNode& root = tree.root();
  Summary summary;
  summary.title = first_text(root, GUMBO_TAG_TITLE);
  if (summary.title.empty()) summary.title = first_text(root, GUMBO_TAG_H1);
  summary.description = description_of(described_by_meta(root));
  BodyReader reader;
  for (const GumboNode* child : children_of(root.v.element)) {
    if (is(*child, GUMBO_TAG_BODY)) reader.read(*child);
  }
  reader.finish(summary);
  return summary;
}

References extract(const Tree& tree, std::string_view url) {
  ReferenceReader reader(urls_of(tree, url));
  reader.read(tree.root());
  return reader.take(described_by_meta(tree.root()));
}

}  // namespace summarizer
