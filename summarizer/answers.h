// The responses about a fetched page. Extracting one takes up to seconds of processor time: not for a network thread.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "summarizer/extract.h"
#include "summarizer/markdown.h"
#include "summarizer/page.h"
#include "web/result.h"

namespace summarizer {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

// `url` is the requested address, `fetchedAt` the time of the request; the caller fills in both.
struct SummaryAnswer {
  std::string url, title, description;
  std::vector<std::string> headings, paragraphs;
  std::int64_t wordCount = 0;
  Time fetchedAt;
};
BOOST_DESCRIBE_STRUCT(SummaryAnswer, (), (url, title, description, headings, paragraphs, wordCount, fetchedAt))

// A summary with the main article. Null: not found in the page. `note`: the article is missing because the page needs a
// browser.
struct ArticleAnswer : SummaryAnswer {
  std::string content;
  std::vector<std::string> sentences;  // the five most important ones
  std::optional<std::string> byline, published, language, note;
  std::string site, canonical;
  boost::json::array jsonLd;
};
BOOST_DESCRIBE_STRUCT(ArticleAnswer, (SummaryAnswer),
                      (content, sentences, byline, published, language, note, site, canonical, jsonLd))

struct ReferencesAnswer {
  std::string url;
  std::vector<Link> links;
  std::vector<Image> images;
  boost::json::object meta;
  Time fetchedAt;
};
BOOST_DESCRIBE_STRUCT(ReferencesAnswer, (), (url, links, images, meta, fetchedAt))

// Each fails with Kind::internal if the page exceeds the parsing limits.
web::Result<SummaryAnswer> summary_of(const Page&);
web::Result<ArticleAnswer> article_of(const Page&, Style);
web::Result<ReferencesAnswer> references_of(const Page&);

}  // namespace summarizer
