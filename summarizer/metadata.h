// Who wrote a page, when, where and in which language.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <string_view>

#include "summarizer/tree.h"

namespace summarizer {

// Empty where the page does not say. From <meta>, else JSON-LD, else the markup.
struct Metadata {
  std::string byline;     // without "By"
  std::string published;  // as the page writes it, ISO 8601 on most
  std::string language;   // BCP 47: "en", "pt-BR"
  std::string site;       // the site's name, else its host
  std::string canonical;  // absolute; the page's own address when it names none
};

// `url` is where the page came from, after redirects.
Metadata metadata_of(const Tree&, const boost::json::array& json_ld, std::string_view url);

}  // namespace summarizer
