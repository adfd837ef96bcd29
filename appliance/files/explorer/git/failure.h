// Errors of git.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace git {

// The message is a sentence with git's own reason.
struct Failure : std::runtime_error {
  // busy: another process is changing the repository; a retry may succeed. missing: there is no repository.
  // unsupported: git reads it, the box does not.
  enum class Cause { broken, busy, missing, unsupported };

  explicit Failure(const std::string& message, Cause why = Cause::broken) : std::runtime_error(message), cause(why) {}
  Cause cause;
};

// Of a repository in a format that the box does not read; `explanation` names it.
Failure unsupported(std::string_view explanation);

}  // namespace git
