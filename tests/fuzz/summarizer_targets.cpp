#include "tests/fuzz/summarizer_targets.h"

#include <algorithm>
#include <set>
#include <string>

#include "summarizer/article.h"
#include "summarizer/charset.h"
#include "summarizer/dom.h"
#include "summarizer/extract.h"
#include "summarizer/guard.h"
#include "summarizer/json_ld.h"
#include "summarizer/markdown.h"
#include "summarizer/metadata.h"
#include "summarizer/outline.h"
#include "summarizer/page_urls.h"
#include "summarizer/sentences.h"
#include "summarizer/url.h"
#include "tests/fuzz/require.h"
#include "web/utf8.h"

namespace fuzz {

namespace {

std::size_t characters(std::string_view text) {
  return std::size_t(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_absolute(std::string_view url) { return url.starts_with("http://") || url.starts_with("https://"); }

int depth_of(const GumboNode& node) {
  int deepest = 0;
  if (const auto* element = summarizer::element_of(node)) {
    for (const GumboNode* child : summarizer::children_of(*element)) deepest = std::max(deepest, depth_of(*child));
  }
  return deepest + 1;
}

bool are_distinct(const std::vector<std::string>& texts) {
  return std::set<std::string_view>(texts.begin(), texts.end()).size() == texts.size();
}

std::pair<std::string_view, std::string_view> first_line(std::string_view bytes) {
  const auto end = std::min(bytes.find('\n'), bytes.size());
  return {bytes.substr(0, end), bytes.substr(std::min(end + 1, bytes.size()))};
}

}  // namespace

void page(std::string_view bytes) {
  using namespace summarizer;
  const std::string text = to_utf8(bytes, find_charset(bytes, "text/html"));
  const std::string markup = guarded(text);
  require(web::is_utf8(markup), "what the guard writes is UTF-8");
  const auto tree = Tree::parse(markup);
  if (!tree) return;
  // Within the caps, gumbo adds html, head, body and what tables need.
  require(depth_of(tree->root()) <= int(2 * Caps{}.depth + 16), "the tree is not deep");

  const auto summary = summarize(*tree);
  for (const auto& one : {summary, outline_of(text)}) {
    require(one.headings.size() <= 20 && one.paragraphs.size() <= 10, "lists end where the contract says");
    require(are_distinct(one.headings) && are_distinct(one.paragraphs), "nothing is said twice");
    require(one.word_count >= 0 && std::size_t(one.word_count) <= markup.size(), "words are counted");
    for (const auto& said : {one.title, one.description}) require(web::is_utf8(said), "answers are UTF-8");
  }

  const auto found = extract(*tree, "https://example.com/dir/page");
  require(found.links.size() <= 50 && found.images.size() <= 20, "lists end where the contract says");
  for (const auto& link : found.links) {
    require(is_absolute(link.href), "links are absolute");
    require(characters(link.text) <= 100 && web::is_utf8(link.text), "texts are short");
  }
  for (const auto& image : found.images) {
    require(is_absolute(image.src), "pictures are absolute");
    require(characters(image.alt) <= 100 && web::is_utf8(image.alt), "alternatives are short");
  }

  const Article article(*tree, summary.title);
  const auto urls = urls_of(*tree, "https://example.com/dir/page");
  for (const auto style : {Style::markdown, Style::text}) {
    const auto content = render(article, urls, style);
    require(web::is_utf8(content), "articles are UTF-8");
    require(best_sentences(content, 5).size() <= 5, "no more sentences than asked for");
  }
  const auto json_ld = json_ld_of(text);
  const auto data = metadata_of(*tree, json_ld, "https://example.com/dir/page");
  require(is_absolute(data.canonical) && !data.site.empty(), "a page has an address and a site");
}

void charset(std::string_view bytes) {
  const auto [content_type, body] = first_line(bytes);
  const std::string name = summarizer::find_charset(body, content_type);
  const std::string text = summarizer::to_utf8(body, name);
  require(web::is_utf8(text), "every page becomes UTF-8");
  require(!text.starts_with("\xEF\xBB\xBF") || body.size() > 3, "without its byte-order mark");
}

void url(std::string_view bytes) {
  const auto [page, reference] = first_line(bytes);
  const summarizer::UrlResolver urls(page);
  const auto resolved = urls.absolute(reference);
  if (!resolved) return;
  require(is_absolute(*resolved), "only the web is linked to");
  require(std::ranges::none_of(*resolved, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }),
          "no white space is left");
  if (resolved->size() > 8'000) return;
  const auto again = urls.absolute(*resolved);
  require(again && *again == *resolved, "an absolute address resolves to itself");
}

}  // namespace fuzz
