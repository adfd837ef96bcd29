// The box's side of its privileged helper (spawn_server.h).
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "sandbox/cgroup.h"
#include "sandbox/command.h"
#include "sandbox/descriptor.h"
#include "sandbox/spawn_server.h"
#include "sandbox/start.h"

namespace sandbox {

struct AgentStart {
  std::string agent;       // its folder below agents/
  std::uint16_t port = 0;  // of its gateway, and by which its user is chosen
  std::array<std::uint16_t, 2> connects{};
  Limits limits;
  GroupLimits group;
  int output = -1;   // a file
  int gateway = -1;  // a socket that listens on 127.0.0.1 and its port: the agent's descriptor 3
};

// Commands of a shell, as the agent's user (command.h).
struct CommandStart {
  std::string agent;
  CommandPlace place = CommandPlace::workspace;
  std::uint16_t port = 0;  // of the agent's gateway, by which its user is chosen
  Limits limits;
  GroupLimits group;
  std::uint64_t temporary_bytes = 0;
  int input = -1, output = -1, error = -1;  // pipes
  int text = -1;                            // a file in memory
  int channel = -1;                         // see OwnNetwork
};

// Thread-safe. Calls throw std::system_error, whose text is to follow "could not".
class SpawnHelper {
 public:
  // `socket`: the box's end. Waits for the helper's first answer.
  SpawnHelper(Descriptor socket, uid_t first_user, std::string name = "helper");

  // It ends when this process does, and when the helper does.
  Started start(const AgentStart&);
  // Likewise. has_commands() must be true.
  Started start(const CommandStart&);
  // SIGTERM or SIGKILL.
  void signal(pid_t, int signal);
  // Of one that has ended: its status as of waitpid.
  int collect(pid_t);

  bool has_control_groups() const { return has_control_groups_; }
  bool has_commands() const { return has_commands_; }
  // That commands see, as root has named it.
  const std::string& tools() const { return tools_; }
  bool has_started(pid_t) const;  // and not collected it
  bool has_ended() const;         // permanently: nothing is started any more

 private:
  struct Reply {
    int value;
    Descriptor descriptor;
  };
  Started started(const struct SpawnOrder&, std::span<const int> descriptors);
  Reply ask(const struct SpawnOrder&, std::span<const int> descriptors = {});

  const Descriptor socket_;
  const uid_t first_user_;
  const std::string name_;  // for errors
  bool has_control_groups_ = false, has_commands_ = false;
  std::string tools_;
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
