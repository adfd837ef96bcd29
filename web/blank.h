// Whether a text has anything to read in it.
#pragma once

#include <string_view>

namespace web {

// Nothing but white space, as Unicode has it; the empty text, too. What is not UTF-8 is not blank.
bool is_blank(std::string_view text);

}  // namespace web
