// The privileged helper of a box that root starts and that becomes a user: `agentbox spawn`. It does what needs root,
// for agents alone, and trusts nothing that the box says: see docs/security.md.
#pragma once

#include <filesystem>

#include "sandbox/become_user.h"

namespace sandbox {

// What the helper serves, said by root: by a box before it becomes a user, or by the unit of a service. Paths are
// canonical.
struct SpawnOptions {
  std::filesystem::path binary;      // that every agent runs, as `agent --boot FILE`
  std::filesystem::path agents;      // the folder of agents' folders
  std::filesystem::path hidden;      // agents/ or above it: agents see nothing in it but their own files. Empty: there
                                     // are commands alone, and the box starts its agents itself
  Account box;                       // owns the files of agents
  uid_t first_user = 0;              // of the range of agents' users
  std::filesystem::path tools{};     // the tree that commands see (command.h); empty: there are none
  std::filesystem::path packages{};  // a folder of the box that commands see (CommandPlan); empty: there is none
  // In a container of one agent: the agent's workspace there. Then there are commands alone, as `first_user`, and
  // `agents`, `hidden` and `box` are not used.
  std::filesystem::path workspace{};
};
inline constexpr uid_t spawn_users = 65'536;  // how many users the range has
inline constexpr int spawn_socket = 3;        // descriptor of the helper's end

// Whether the descriptor is a pair of sockets as start_spawn_helper makes it.
bool is_spawn_socket(int descriptor);
// A connection to what listens at this path: of a helper in a container to the box, of a box to the service that starts
// helpers. Throws std::system_error.
int connect_spawn_socket(const std::filesystem::path&);

// Gives up all that it does not need, says so in a first SpawnAnswer (or what failed), and serves until the box's end
// of the socket closes. What it started ends with this thread. In a process with one thread.
void serve_spawn(const SpawnOptions&, int socket);

}  // namespace sandbox
