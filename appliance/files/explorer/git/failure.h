// Why git could not do something.
#pragma once

#include <stdexcept>
#include <string>

namespace git {

// A sentence with git's own reason.
struct Failure : std::runtime_error {
  enum class Cause { broken, busy };  // busy: somebody else is changing the repository; trying again may do

  explicit Failure(const std::string& message, Cause why = Cause::broken) : std::runtime_error(message), cause(why) {}
  Cause cause;
};

}  // namespace git
