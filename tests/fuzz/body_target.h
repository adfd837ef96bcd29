// What must hold for any body that an answer brings; aborts when it does not. See targets.h.
#pragma once

#include <string_view>

namespace fuzz {

// A line with the value of Content-Encoding, then the body. It decodes in the same way however its bytes are cut, and
// to no more than it may.
void body(std::string_view bytes);

}  // namespace fuzz
