// Guesses the encoding of a page that does not declare it.
#pragma once

#include <string>
#include <string_view>

namespace summarizer {

// Returns a name for iconv: UTF-16 by its zero bytes, ISO-2022-JP by its escapes, UTF-8 if the bytes are valid, else
// the encoding in which the most frequent letters match a known language, else windows-1252, the standard's fallback.
// Reads at most 64 KB, except for the UTF-8 check.
std::string guess_charset(std::string_view bytes);

}  // namespace summarizer
