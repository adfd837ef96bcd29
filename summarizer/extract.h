// Extracts the content of a page from its tree.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "summarizer/tree.h"

namespace summarizer {

struct Summary {
  std::string title;                    // of <title>, else the first <h1>
  std::string description;              // <meta name=description>, else the social one
  std::vector<std::string> headings;    // h1 to h3, in order, without duplicates; at most 20
  std::vector<std::string> paragraphs;  // in order, without duplicates; at most 10
  std::int64_t word_count = 0;          // of the visible text of <body>
};

struct Link {
  std::string href, text;  // absolute; at most 100 characters
};
BOOST_DESCRIBE_STRUCT(Link, (), (href, text))

struct Image {
  std::string src, alt;  // absolute; at most 100 characters
};
BOOST_DESCRIBE_STRUCT(Image, (), (src, alt))

struct References {
  std::vector<Link> links;    // in order, without duplicates; at most 50
  std::vector<Image> images;  // the same; at most 20
  boost::json::object meta;   // og:*, twitter:* and description
};

// Hidden elements, <noscript> and form fields are not text. Both functions are pure and never fail.
Summary summarize(const Tree&);
// `url` is the page's address after redirects.
References extract(const Tree&, std::string_view url);

}  // namespace summarizer
