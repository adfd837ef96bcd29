#pragma once

namespace agentbox {

// The version of the CMake project, such as "0.1.0".
extern const char* const version;

}  // namespace agentbox
