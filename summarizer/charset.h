// From a page's bytes to UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace summarizer {

// Which encoding the bytes are in, in the order of the WHATWG standard: byte-order mark, the Content-Type header's
// charset, a <meta> in the first 1,024 bytes, an XML declaration; without any of them a guess (charset_guess.h). The
// answer is a name for iconv. Labels the standard does not know count as absent.
std::string find_charset(std::string_view bytes, std::string_view content_type);

// Always valid UTF-8 without a byte-order mark; what cannot be decoded becomes U+FFFD.
std::string to_utf8(std::string_view bytes, const std::string& charset);

}  // namespace summarizer
