#include "summarizer/answers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "summarizer/article.h"
#include "summarizer/charset.h"
#include "summarizer/guard.h"
#include "summarizer/json_ld.h"
#include "summarizer/metadata.h"
#include "summarizer/outline.h"
#include "summarizer/page_urls.h"
#include "summarizer/scanner.h"
#include "summarizer/sentences.h"
#include "summarizer/text.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

constexpr std::size_t best_count = 5;
// In bytes. A shorter article is perhaps what the rules have left of one.
constexpr std::size_t short_article = 250;

std::string decoded(const Page& page) { return to_utf8(page.bytes, find_charset(page.bytes, page.content_type)); }

void fill(SummaryAnswer& answer, Summary summary) {
  answer.title = std::move(summary.title);
  answer.description = std::move(summary.description);
  answer.headings = std::move(summary.headings);
  answer.paragraphs = std::move(summary.paragraphs);
  answer.wordCount = summary.word_count;
}

std::optional<std::string> if_any(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

// A tree and the article found in it.
struct Reading {
  Tree tree;
  std::unique_ptr<Article> article;
  std::string text;
};

Reading read_tree(Tree tree, const std::string& title, const std::string& url) {
  Reading reading{.tree = std::move(tree), .article = nullptr, .text = {}};
  const UrlResolver urls = urls_of(reading.tree, url);
  reading.article = std::make_unique<Article>(reading.tree, title);
  reading.text = render(*reading.article, urls, Style::text);
  if (reading.text.size() >= short_article) return reading;
  auto more = std::make_unique<Article>(reading.tree, title, Article::Rules::tags_only);
  if (auto longer = render(*more, urls, Style::text); longer.size() > 2 * reading.text.size()) {
    reading.article = std::move(more);
    reading.text = std::move(longer);
  }
  return reading;
}

// The page without scripts, and the article in its JSON-LD, as pages of their own.
std::vector<std::string> other_places(const std::string& html) {
  std::vector<std::string> places;
  if (html.find("<noscript") != html.npos) places.push_back(guarded(html, {.has_noscript = true}));
  if (auto body = article_body_of(html); !body.empty()) places.push_back(guarded(body));
  return places;
}

void use_other_place(Reading& reading, const std::string& html, const std::string& title, const std::string& url) {
  for (auto& place : other_places(html)) {
    auto tree = Tree::parse(std::move(place));
    if (!tree) continue;
    auto other = read_tree(std::move(*tree), title, url);
    if (other.text.size() > 2 * reading.text.size() && other.article->has_prose()) reading = std::move(other);
  }
}

// Has scripts and either says that they are needed or has an empty element for what they make.
bool is_built_by_scripts(const std::string& html) {
  constexpr std::size_t max_attributes = 16, max_value = 256;
  bool has_script = false, asks_for_script = false, is_in_noscript = false, follows_root = false;
  Scanner scanner(html, max_attributes, max_value);
  while (scanner.next()) {
    const Token& token = scanner.token();
    if (token.kind == Token::Kind::text) {
      asks_for_script = asks_for_script || (is_in_noscript && (token.text.find("JavaScript") != token.text.npos ||
                                                               token.text.find("javascript") != token.text.npos ||
                                                               token.text.find("Javascript") != token.text.npos));
      follows_root = follows_root && trimmed(token.text).empty();
      continue;
    }
    const bool starts = token.kind == Token::Kind::start_tag;
    if (!starts && follows_root) asks_for_script = true;
    follows_root = false;
    if (web::equal_ignoring_case(token.name, "noscript")) is_in_noscript = starts;
    if (!starts) continue;
    if (web::equal_ignoring_case(token.name, "script")) {
      has_script = true;
      scanner.raw_text("script");
    } else {
      follows_root = std::ranges::any_of(token.attributes, [](const RawAttribute& attribute) {
        constexpr std::string_view roots[] = {"root", "app", "__next", "__nuxt", "___gatsby", "react-root", "main-app"};
        return web::equal_ignoring_case(attribute.name, "id") &&
               std::ranges::find(roots, attribute.value) != std::end(roots);
      });
    }
  }
  return has_script && asks_for_script;
}

}  // namespace

web::Result<SummaryAnswer> summary_of(const Page& page) {
  SummaryAnswer answer;
  fill(answer, outline_of(decoded(page)));
  return answer;
}

web::Result<ArticleAnswer> article_of(const Page& page, Style style) {
  const std::string html = decoded(page);
  auto tree = Tree::parse(guarded(html));
  if (!tree) return tree.error();
  ArticleAnswer answer;
  fill(answer, summarize(*tree));
  answer.jsonLd = json_ld_of(html);
  auto data = metadata_of(*tree, answer.jsonLd, page.url);
  auto reading = read_tree(std::move(*tree), answer.title, page.url);
  if (reading.text.size() < short_article) use_other_place(reading, html, answer.title, page.url);
  if (!reading.article->has_prose() && is_built_by_scripts(html)) {
    answer.note = "This page shows its text only in a browser that runs scripts";
  } else {
    answer.sentences = best_sentences(reading.text, best_count);
    answer.content = style == Style::text ? std::move(reading.text)
                                          : render(*reading.article, urls_of(reading.tree, page.url), style);
  }
  answer.byline = if_any(std::move(data.byline));
  answer.published = if_any(std::move(data.published));
  answer.language = if_any(std::move(data.language));
  answer.site = std::move(data.site);
  answer.canonical = std::move(data.canonical);
  return answer;
}

web::Result<ReferencesAnswer> references_of(const Page& page) {
  const auto tree = Tree::parse(guarded(decoded(page)));
  if (!tree) return tree.error();
  auto found = extract(*tree, page.url);
  ReferencesAnswer answer;
  answer.links = std::move(found.links);
  answer.images = std::move(found.images);
  answer.meta = std::move(found.meta);
  return answer;
}

}  // namespace summarizer
