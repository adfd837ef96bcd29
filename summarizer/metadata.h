// Author, date, site and language of a page.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <string_view>

#include "summarizer/tree.h"

namespace summarizer {

// Empty if not found. From <meta>, else JSON-LD, else the markup.
struct Metadata {
  std::string byline;     // without "By"
  std::string published;  // as in the page, usually ISO 8601
  std::string language;   // BCP 47: "en", "pt-BR"
  std::string site;       // the site's name, else its host
  std::string canonical;  // absolute; the page's own address if there is none
};

// `url` is where the page came from, after redirects.
Metadata metadata_of(const Tree&, const boost::json::array& json_ld, std::string_view url);

}  // namespace summarizer
