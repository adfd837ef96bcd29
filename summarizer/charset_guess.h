// Which encoding a page is in that does not say so.
#pragma once

#include <string>
#include <string_view>

namespace summarizer {

// A name for iconv. UTF-16 by its zero bytes, ISO-2022-JP by its escapes, UTF-8 where the bytes are valid; else the
// encoding as which the page reads like one of the languages known here, by their most frequent letters; windows-1252,
// the standard's last resort, when none does. Looks at 64 KB at most but for the UTF-8 check.
std::string guess_charset(std::string_view bytes);

}  // namespace summarizer
