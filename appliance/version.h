#pragma once

namespace agentbox {

// As in CHANGELOG.md and CMakeLists.txt.
inline constexpr const char* version = "0.1.0";

}  // namespace agentbox
