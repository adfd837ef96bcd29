// The box's side of its privileged helper (spawn_server.h).
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "sandbox/cgroup.h"
#include "sandbox/descriptor.h"
#include "sandbox/spawn_server.h"
#include "sandbox/start.h"

namespace sandbox {

struct AgentStart {
  std::string agent;       // its folder below agents/
  std::uint16_t port = 0;  // on which it listens, and by which its user is chosen
  std::array<std::uint16_t, 2> connects{};
  Limits limits;
  GroupLimits group;
  int output = -1;  // a file
};

// Thread-safe. Calls throw std::system_error, whose text is to follow "could not".
class SpawnHelper {
 public:
  // `socket`: the box's end. Waits for the helper's first answer.
  SpawnHelper(Descriptor socket, uid_t first_user);

  // It ends when this process does, and when the helper does.
  Started start(const AgentStart&);
  // SIGTERM or SIGKILL.
  void signal(pid_t, int signal);
  // Of one that has ended: its status as of waitpid.
  int collect(pid_t);

  bool has_control_groups() const { return has_control_groups_; }
  bool has_started(pid_t) const;  // and not collected it
  bool has_ended() const;         // for good: nothing is started any more

 private:
  struct Reply {
    int value;
    Descriptor descriptor;
  };
  Reply ask(const struct SpawnOrder&, int descriptor = -1);

  const Descriptor socket_;
  const uid_t first_user_;
  bool has_control_groups_ = false;
  mutable std::mutex lock_;  // an order and its answer belong together
  std::set<pid_t> started_;
};

// Starts BINARY spawn with an empty environment, before this process gives up root. While there is one thread.
std::unique_ptr<SpawnHelper> start_spawn_helper(const SpawnOptions&);

// The helper of this process, which is asked to start agents. Set once, before there are threads.
struct HelperOfThisProcess {
  std::unique_ptr<SpawnHelper> helper;  // null: none
  std::string why_not;                  // it was wanted, and could not be had
};
HelperOfThisProcess& helper_of_this_process();

}  // namespace sandbox
