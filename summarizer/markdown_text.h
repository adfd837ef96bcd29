// Writing inline Markdown: escapes and markers.
#pragma once

#include <string>
#include <string_view>

namespace summarizer {

// Appends `utf8` with white space collapsed, also across calls; with `escape`, characters that Markdown would read as
// markup are escaped.
void append_words(std::string& out, std::string_view utf8, bool escape);

// Escapes markup that is special only at the start of a block: "# ", "- ", "1. ", ...
std::string escaped_start(std::string block);

// `text` between two `marker`s, with white space at both ends kept outside; empty for empty text.
std::string marked(std::string_view text, std::string_view marker);

// A code span, and a fenced block, whose fences are longer than any run of backticks inside.
std::string code_span(std::string_view code);
std::string code_block(std::string_view code, std::string_view language);

// Prefixes the first line with `first` and the others with `rest`; empty lines stay empty if `rest` is all spaces.
std::string indented(std::string_view text, std::string_view first, std::string_view rest);

}  // namespace summarizer
