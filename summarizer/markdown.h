// An article as text that people and models read well.
#pragma once

#include <cstddef>
#include <string>

#include "summarizer/article.h"
#include "summarizer/url.h"

namespace summarizer {

enum class Style {
  markdown,  // CommonMark with GitHub's tables; addresses absolute, the page's own markup characters escaped
  text       // the same blocks without any markup, links or pictures
};

// Blocks separated by empty lines; ends without a newline. Cut after the block that passes `max_bytes`.
std::string render(const Article&, const UrlResolver&, Style, std::size_t max_bytes = 1u << 20);

}  // namespace summarizer
