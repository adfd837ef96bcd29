// Decodes a page to UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace summarizer {

// The encoding of the bytes as a name for iconv. Sources in the order of the WHATWG standard: byte-order mark, the
// charset of the Content-Type header, a <meta> in the first 1,024 bytes, an XML declaration, and finally a guess
// (charset_guess.h). Labels unknown to the standard are ignored.
std::string find_charset(std::string_view bytes, std::string_view content_type);

// Always valid UTF-8 without a byte-order mark; undecodable bytes become U+FFFD.
std::string to_utf8(std::string_view bytes, const std::string& charset);

}  // namespace summarizer
