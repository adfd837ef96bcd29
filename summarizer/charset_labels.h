// The labels of encodings.
#pragma once

#include <string>
#include <string_view>

namespace summarizer {

// iconv's name for the encoding `label` in the WHATWG standard's table (any case; surrounding white space is ignored).
// Empty if the label is unknown or if browsers refuse its encoding. Only these names reach iconv_open, which loads code
// by name.
std::string charset_of_label(std::string_view label);

}  // namespace summarizer
