#pragma once

namespace agentbox {

// That of the CMake project, such as "0.1.0".
extern const char* const version;

}  // namespace agentbox
