// The names pages give their encodings.
#pragma once

#include <string>
#include <string_view>

namespace summarizer {

// iconv's name for what browsers decode a page as that calls its encoding `label` (the WHATWG standard's table; any
// case, white space around it does not count). Empty when the label is unknown or its encoding is one that browsers
// refuse. Only these names reach iconv_open, which loads code by name.
std::string charset_of_label(std::string_view label);

}  // namespace summarizer
