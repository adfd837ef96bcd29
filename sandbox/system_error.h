// The failure of a system call as an exception.
#pragma once

#include <cerrno>
#include <system_error>

namespace sandbox {

// A std::system_error. `step` is what could not be done.
[[noreturn]] inline void throw_errno(const char* step) { throw std::system_error(errno, std::system_category(), step); }

}  // namespace sandbox
