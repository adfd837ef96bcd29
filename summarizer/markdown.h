// Renders an article as Markdown or plain text.
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

// Blocks separated by empty lines, without a final newline. Ends after the block that exceeds `max_bytes`.
std::string render(const Article&, const UrlResolver&, Style, std::size_t max_bytes = 1u << 20);

}  // namespace summarizer
