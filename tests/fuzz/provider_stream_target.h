// What must hold for any stream that a model provider answers. See targets.h.
#pragma once

#include <string_view>

namespace fuzz {

// The first byte chooses the provider's form. However the bytes are cut, they are the same events, pieces and answer.
void provider_stream(std::string_view bytes);

}  // namespace fuzz
