#pragma once

#include <string>
#include <string_view>

namespace web {

// The title of a listener's OpenAPI document.
inline std::string document_title(std::string_view listener) { return "agentbox " + std::string(listener) + " API"; }

}  // namespace web
