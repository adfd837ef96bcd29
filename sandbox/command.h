// Commands that an agent runs: a shell in a tree and a network of its own, with the workspace as the only files that
// last. See docs/security.md.
#pragma once

#include <string>

#include "sandbox/start.h"

namespace sandbox {

inline constexpr const char* command_workspace = "/workspace";
inline constexpr const char* command_packages = "/opt/mcp";  // what the administrator has loaded: `agentbox mcp load`

struct CommandPlan {
  uid_t user = 0;                   // that it becomes if this process is root
  std::filesystem::path top;        // see system_tree
  std::filesystem::path workspace;  // empty: `workspace_mount`
  int workspace_mount = -1;
  std::uint64_t temporary_bytes = 0;
  Limits limits;
  std::filesystem::path packages;  // shown read-only at command_packages; empty: `packages_mount`, or none of both
  int packages_mount = -1;
  int input = -1, output = -1, error = -1;  // a terminal as the input is the session's
  int text = -1;                            // what the shell does: a file that it can open, from its beginning
  int channel = -1;                         // see OwnNetwork
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

// What a command works in: the agent's own files, or those of its browser, which sees no others. Both are in the
// agent's folder, and each has a control group of its own.
enum class CommandPlace : std::uint32_t { workspace = 0, browser = 1 };
inline std::string folder_of(CommandPlace place) { return place == CommandPlace::browser ? "browser" : "workspace"; }
inline std::string command_group(const std::string& agent, CommandPlace place) {
  return agent + (place == CommandPlace::browser ? ".browser" : ".commands");
}

}  // namespace sandbox
