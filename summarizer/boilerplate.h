// Detects boilerplate by tags, roles and the words in class and id.
#pragma once

#include "summarizer/dom.h"

namespace summarizer {

// Navigation, forms, footers and the like, with any content.
bool is_furniture(const GumboElement&);
// Its class or id marks it as a sidebar, comments, an advertisement, sharing buttons, ...
bool is_named_like_furniture(const GumboElement&);
// Its tag, role, class or id marks it as the main text.
bool is_named_like_content(const GumboElement&);
// Its class, rel or itemprop marks it as author, date or tags of the text.
bool is_named_like_byline(const GumboElement&);
// "Advertisement", "Share this", "Read more: ..." and their kind.
bool reads_like_furniture(std::string_view text);

}  // namespace summarizer
