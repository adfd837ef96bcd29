// The writing of inline Markdown: what must be escaped, what stands around words.
#pragma once

#include <string>
#include <string_view>

namespace summarizer {

// Appends `utf8` with white space collapsed, also across calls; with `escape`, characters that Markdown would read as
// markup are escaped.
void append_words(std::string& out, std::string_view utf8, bool escape);

// Escapes what is markup only at the start of a block: "# ", "- ", "1. ", ...
std::string escaped_start(std::string block);

// `text` between two `marker`s, white space at either end kept outside; nothing for nothing.
std::string marked(std::string_view text, std::string_view marker);

// A code span, and a fenced block, whose fences are longer than any run of backticks inside.
std::string code_span(std::string_view code);
std::string code_block(std::string_view code, std::string_view language);

// Each line but the first after `rest`, the first after `first`; empty lines stay empty where `rest` is all space.
std::string indented(std::string_view text, std::string_view first, std::string_view rest);

}  // namespace summarizer
