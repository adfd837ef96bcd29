// Errors of git.
#pragma once

#include <stdexcept>
#include <string>

namespace git {

// The message is a sentence with git's own reason.
struct Failure : std::runtime_error {
  // busy: another process is changing the repository; a retry may succeed. missing: there is no repository.
  enum class Cause { broken, busy, missing };

  explicit Failure(const std::string& message, Cause why = Cause::broken) : std::runtime_error(message), cause(why) {}
  Cause cause;
};

}  // namespace git
