// The system calls that a confined process may make: an allow list, by seccomp. Everything else fails: with EPERM if it
// is known to be dangerous, else with ENOSYS, as on a kernel that does not have it.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <optional>
#include <vector>

namespace sandbox {

enum class Sockets {
  none,      // no new ones; pairs of local ones are possible
  tcp,       // over IP, streams only. No local ones, whose buffers no limit counts
  internet,  // over IP, and what the resolver reads this machine's addresses with
  local,     // over IP and local ones: for a process with a network of its own
};

struct SystemCalls {
  bool changes_files = true;     // creating, renaming and removing them, and changing their modes and owners
  bool starts_programs = true;   // executing programs; needed to start one under the filter
  bool starts_processes = true;  // beside threads. Sanitizers look for leaks with a process of their own
  bool signals_others = true;    // false: no signals but to this process, if it is given in `self`, else none at all
  std::optional<pid_t> self{};
  Sockets sockets = Sockets::none;
  bool listens = false;          // bind(2) and listen(2); listening sockets that it is given can be used all the same
  bool finds_leaks = true;       // in a sanitized build, whose leak sanitizer traces; false: for other programs
  bool prepares_others = false;  // mounts, namespaces, users and capabilities: for a process that confines others
};

class SystemCallFilter {
 public:
  // Throws std::system_error.
  explicit SystemCallFilter(const SystemCalls&);

  // Applies it permanently to the calling thread and those it starts. Needs no_new_privs. Throws std::system_error.
  void enforce() const;
  // For seccomp(2).
  const std::vector<sock_filter>& instructions() const { return instructions_; }

 private:
  std::vector<sock_filter> instructions_;
};

}  // namespace sandbox
