// Which elements are visible, and which are blocks.
#pragma once

#include <gumbo.h>

#include <string_view>

namespace summarizer {

// The content is never shown: not meant for readers, or part of a form.
bool is_unread(GumboTag);
// Whether a style attribute hides its element.
bool hides(std::string_view style);
// Of elements that gumbo knows.
bool breaks_text(GumboTag);

}  // namespace summarizer
