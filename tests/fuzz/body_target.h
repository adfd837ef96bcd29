// What must hold for any body that an answer brings; aborts when it does not. See targets.h.
#pragma once

#include <string_view>

namespace fuzz {

// A line with the value of Content-Encoding, then the body. However its bytes are cut, it is the same text or none, and
// never more than it may be.
void body(std::string_view bytes);

}  // namespace fuzz
