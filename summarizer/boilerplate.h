// What on a page is furniture rather than text, told by tags, roles and the words in class and id.
#pragma once

#include "summarizer/dom.h"

namespace summarizer {

// Navigation, forms, footers and the like, whatever is in them.
bool is_furniture(const GumboElement&);
// By its class or id it is a sidebar, comments, an advertisement, sharing buttons, ...
bool is_named_like_furniture(const GumboElement&);
// By its tag, role, class or id it is where the text is.
bool is_named_like_content(const GumboElement&);
// By its class, rel or itemprop it says who wrote the text, when, or under which headings.
bool is_named_like_byline(const GumboElement&);
// "Advertisement", "Share this", "Read more: ..." and their kind.
bool reads_like_furniture(std::string_view text);

}  // namespace summarizer
