// Commands that an agent runs: a shell in a tree and a network of its own, with the workspace as the only files that
// last. See docs/security.md.
#pragma once

#include <string>

#include "sandbox/start.h"

namespace sandbox {

inline constexpr const char* command_workspace = "/workspace";

struct CommandPlan {
  uid_t user = 0;                   // that it becomes if this process is root
  std::filesystem::path top;        // see system_tree
  std::filesystem::path workspace;  // empty: `workspace_mount`
  int workspace_mount = -1;
  std::uint64_t temporary_bytes = 0;
  Limits limits;
  int input = -1, output = -1;
  int text = -1;     // what the shell does: a file that it can open, from its beginning
  int channel = -1;  // see OwnNetwork
};

struct CommandParts {
  Program program;
  Confinement place;
};
// The shell is the first process of its process namespace: with it ends all that it has started. It ends with the
// thread that starts it.
CommandParts command_plan(const CommandPlan&);

// Why this kernel, or a container around this process, permits none; empty: it does.
std::string why_no_commands();

// The control group of an agent's commands.
inline std::string command_group(const std::string& agent) { return agent + ".commands"; }

}  // namespace sandbox
