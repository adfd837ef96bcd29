// Which elements' text a reader sees, and where it stands apart from the text around it.
#pragma once

#include <gumbo.h>

#include <string_view>

namespace summarizer {

// The content is not shown whatever the attributes say: not for readers, or a form's.
bool is_unread(GumboTag);
// Whether a style attribute hides its element.
bool hides(std::string_view style);
// Of elements that gumbo knows.
bool breaks_text(GumboTag);

}  // namespace summarizer
