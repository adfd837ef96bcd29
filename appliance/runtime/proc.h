// Information about processes from /proc, and signals that cannot reach the wrong process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/descriptor.h"

namespace runtime::proc {

struct Stat {
  pid_t pid = 0, parent = 0;
  char state = '?';  // Z: ended and not yet reaped
  pid_t session = 0;
  std::uint64_t cpu_ticks = 0;    // user and system
  std::uint64_t start_ticks = 0;  // since the machine started: unique together with the pid
  std::uint64_t resident_bytes = 0;
};
// nullopt if there is no such process.
std::optional<Stat> stat(pid_t);
// argv as the process shows it; empty if it has none or is not accessible.
std::vector<std::string> arguments(pid_t);
void each_process(const std::function<void(pid_t)>& visit);
// Changes with each start of the machine.
std::string boot_id();
std::uint64_t ticks_per_second();

// A pidfd of the process that has this pid and started at that tick; empty if there is none.
files::Descriptor open_process(pid_t, std::uint64_t start_ticks);
// The process with this pid: only for a child that has not been reaped.
files::Descriptor open_process(pid_t);
void send_signal(int pidfd, int signal);
// SIGKILL to every process of the session that `leader` began at `start_ticks`, the leader included, also when it has
// ended already; until none is left or a second has passed. Never signals a process of a later session that happens to
// have the same number. Blocks.
void kill_session(pid_t leader, std::uint64_t start_ticks);
// The same for every process of `user`, in any session. Not for the box's own user.
void kill_user(uid_t user);
// The user of a process; nullopt if there is no such process.
std::optional<uid_t> user_of(pid_t);

}  // namespace runtime::proc
