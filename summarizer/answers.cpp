#include "summarizer/answers.h"

#include "summarizer/article.h"
#include "summarizer/charset.h"
#include "summarizer/guard.h"
#include "summarizer/json_ld.h"
#include "summarizer/metadata.h"
#include "summarizer/outline.h"
#include "summarizer/page_urls.h"
#include "summarizer/sentences.h"

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

}  // namespace

web::Result<SummaryAnswer> summary_of(const Page& page) {
  SummaryAnswer answer;
  fill(answer, outline_of(decoded(page)));
  return answer;
}

web::Result<ArticleAnswer> article_of(const Page& page, Style style) {
  const std::string html = decoded(page);
  const auto tree = Tree::parse(guarded(html));
  if (!tree) return tree.error();
  ArticleAnswer answer;
  fill(answer, summarize(*tree));
  const UrlResolver urls = urls_of(*tree, page.url);
  std::optional<Article> article(std::in_place, *tree, answer.title);
  std::string text = render(*article, urls, Style::text);
  if (text.size() < short_article) {
    const Article more(*tree, answer.title, Article::Rules::tags_only);
    if (std::string longer = render(more, urls, Style::text); longer.size() > 2 * text.size()) {
      article.emplace(*tree, answer.title, Article::Rules::tags_only);
      text = std::move(longer);
    }
  }
  answer.sentences = best_sentences(text, best_count);
  answer.content = style == Style::text ? text : render(*article, urls, style);
  answer.jsonLd = json_ld_of(html);
  auto data = metadata_of(*tree, answer.jsonLd, page.url);
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
