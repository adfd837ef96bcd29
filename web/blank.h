// Whether a text is blank.
#pragma once

#include <string_view>

namespace web {

// True for text of Unicode white space only, and for the empty text. Text that is not UTF-8 is not blank.
bool is_blank(std::string_view text);

}  // namespace web
