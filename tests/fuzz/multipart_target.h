// What must hold for any form of an upload. See targets.h.
#pragma once

#include <string_view>

namespace fuzz {

// The boundary is XX. However the bytes are cut, they are the same parts or the same error, and no part holds more than
// was sent.
void multipart(std::string_view bytes);

}  // namespace fuzz
